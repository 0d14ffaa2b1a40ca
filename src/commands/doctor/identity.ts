import { hint, template } from '../../kernel/hint.ts';
import { missingSettings, noCredential } from '../../profiles/missing-settings.ts';
import type { Settings } from '../../profiles/resolve.ts';
import { secretPlaces } from '../../profiles/secrets.ts';
import type { Context } from '../context.ts';
import { type Check, fail, ok, skipped, type Verdict, verdictOf, warn } from './check.ts';

/** What is about who is asking whom. */
export function identityChecks(context: Context): readonly Check[] {
  return [
    { name: 'keychain', run: () => keychain(context) },
    { name: 'profile', run: async () => profile(await context.settings()) },
  ];
}

function profile(settings: Settings): Verdict {
  const { profile: chosen, baseUrl, withheld } = settings;
  if (missingSettings(settings).length > 0) return verdictOf(noCredential(settings));
  const detail = chosen ? `${chosen.value} (${chosen.source})` : 'none: the environment says everything';
  if (withheld !== undefined)
    return fail(
      'no_credential',
      withheld,
      hint`save it again with ${template('configure', ['profiles', 'add'], '<name> --replace')}`,
    );
  return ok(`${detail}, ${baseUrl?.value}${settings.protected ? ', protected' : ''}`);
}

/** The keychain is asked only where it matters: the secrets of a run that the environment gives lie nowhere. */
async function keychain(context: Context): Promise<Verdict> {
  // Where settings cannot be read, the check of the profile says so.
  const settings = await context.settings().catch(() => undefined);
  const sources = [settings?.authToken, settings?.workspaceAuthToken].flatMap((secret) => secret?.source ?? []);
  if (sources.length > 0 && sources.every((source) => source.startsWith('SVC_'))) {
    return skipped('the environment gives the secrets');
  }
  const { faultOf, PROBE } = await import('../../profiles/change.ts');
  const fault = await faultOf(secretPlaces(context), PROBE);
  const lies = sources.find((source) => source.includes('file ')) ? '; the secrets in use lie in a file' : '';
  if (fault === undefined) return ok(`it answers${lies}`);
  const detail = `it ${fault}: secrets are kept in a file that only you can read`;
  // Most servers have none, and nothing is wrong with that.
  if (fault === 'is not running') return ok(detail);
  return warn(detail, 'unlock or restart the keychain, or choose the file with --insecure-storage');
}
