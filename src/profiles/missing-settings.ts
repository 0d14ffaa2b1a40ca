import { type Hint, hint, SvcError, step, stepWithPlaceholder } from '../kernel/errors.ts';
import { SETTING_VARIABLES } from '../kernel/variables.ts';
import type { Settings } from './resolve.ts';

export function listMissingSettings(
  settings: Settings,
): readonly (keyof typeof SETTING_VARIABLES)[] {
  const absent = (names: readonly (keyof typeof SETTING_VARIABLES)[]) =>
    names.filter((name) => !settings[name]);
  const key = absent(['apiKey', 'authToken']);
  const workspace = absent(['workspaceId', 'workspaceAuthToken']);
  return [...absent(['baseUrl']), ...(workspace.length < key.length ? workspace : key)];
}

export function createNotConfiguredError(settings: Settings): SvcError {
  const missing = listMissingSettings(settings).map((name) => SETTING_VARIABLES[name]);
  const reason = settings.missingReason ? ` (${settings.missingReason})` : '';
  return new SvcError('no_credential', `not configured: ${missing.join(', ')}${reason}`, {
    hint: hint`${createSetupHint(settings)}, or use the embedded service with --local`,
  });
}

function createSetupHint({ profile }: Settings): Hint {
  if (!profile)
    return hint`save a profile with \`${stepWithPlaceholder('configure', ['profiles', 'add'], '<name>')}\` or set these variables`;
  const completing = step('configure', 'profiles', 'add', profile.value, '--replace');
  return hint`complete profile '${profile.value}' with \`${completing}\` or set these variables`;
}
