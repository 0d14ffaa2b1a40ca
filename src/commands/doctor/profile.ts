import { hint, stepWithPlaceholder } from '../../kernel/hint.ts';
import { createNotConfiguredError, listMissingSettings } from '../../profiles/missing-settings.ts';
import type { Settings } from '../../profiles/resolve.ts';
import { createSecretStorage } from '../../profiles/secrets.ts';
import type { Context } from '../context.ts';
import { type Check, type CheckResult, fail, info, ok, resultOfError, skipped, warn } from './check.ts';

export function createProfileChecks(context: Context): readonly Check[] {
  return [
    { name: 'keychain', run: () => checkKeychain(context) },
    { name: 'profile', run: async () => checkProfile(await context.settings()) },
  ];
}

function checkProfile(settings: Settings): CheckResult {
  const { profile: chosen, baseUrl, missingReason } = settings;
  if (listMissingSettings(settings).length > 0) return resultOfError(createNotConfiguredError(settings));
  const detail = chosen ? `${chosen.value} (${chosen.source})` : 'none (all settings come from the environment)';
  if (missingReason !== undefined)
    return fail(
      'no_credential',
      missingReason,
      hint`save the profile again: ${stepWithPlaceholder('configure', ['profiles', 'add'], '<name> --replace')}`,
    );
  return ok(`${detail}, ${baseUrl?.value}${settings.protected ? ', protected' : ''}`);
}

async function checkKeychain(context: Context): Promise<CheckResult> {
  // The profile check reports problems with the settings.
  const settings = await context.settings().catch(() => undefined);
  const sources = [settings?.authToken, settings?.workspaceAuthToken].flatMap((secret) => secret?.source ?? []);
  if (sources.length > 0 && sources.every((source) => source.startsWith('SVC_'))) {
    return skipped('not needed: all secrets come from environment variables');
  }
  const { findKeychainProblem, PROBE_CALLS } = await import('../../profiles/transaction.ts');
  const problem = await findKeychainProblem(createSecretStorage(context), PROBE_CALLS);
  const suffix = sources.find((source) => source.includes('file ')) ? '; the active secrets are stored in a file' : '';
  if (problem === undefined) return ok(`the keychain responds${suffix}`);
  const detail = `the keychain ${problem}, so secrets are stored in a file that only you can read`;
  // Most servers have no keychain.
  if (problem === 'is not running') return info(detail);
  return warn(detail, 'unlock or restart the keychain, or use --insecure-storage to store secrets in a file');
}
