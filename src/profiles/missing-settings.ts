import { type Hint, hint, SvcError, step, stepWithPlaceholder } from '../kernel/errors.ts';
import { SETTING_VARIABLES } from '../kernel/variables.ts';
import type { TargetWithSecrets } from './target.ts';

type RequiredSetting = Exclude<keyof typeof SETTING_VARIABLES, 'output'>;

export function listMissingSettings(target: TargetWithSecrets): readonly RequiredSetting[] {
  const absent = (names: readonly RequiredSetting[]) => names.filter((name) => !target[name]);
  const key = absent(['apiKey', 'authToken']);
  const workspace = absent(['workspaceId', 'workspaceAuthToken']);
  return [...absent(['baseUrl']), ...(workspace.length < key.length ? workspace : key)];
}

export function createNotConfiguredError(target: TargetWithSecrets): SvcError {
  const missing = listMissingSettings(target).map((name) => SETTING_VARIABLES[name]);
  const reason = target.missingReason ? ` (${target.missingReason})` : '';
  return new SvcError('no_credential', `not configured: ${missing.join(', ')}${reason}`, {
    hint: hint`${createSetupHint(target)}, or use the embedded service with --local`,
  });
}

function createSetupHint({ profile }: TargetWithSecrets): Hint {
  if (!profile)
    return hint`to save a profile, run ${stepWithPlaceholder('configure', ['login'], '<name>')}, or set these variables`;
  const completing = step('configure', 'login', profile.value, '--replace');
  return hint`to complete profile '${profile.value}', run ${completing}, or set these variables`;
}
