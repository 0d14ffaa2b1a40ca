import { SvcError } from '../kernel/errors.ts';
import { type Hint, hint, step, template } from '../kernel/hint.ts';
import { VARIABLES } from '../kernel/variables.ts';
import type { Settings } from './resolve.ts';

/** What is missing before any operation could be called: an address, and one of the two pairs of credentials. */
export function missingSettings(settings: Settings): readonly (keyof typeof VARIABLES)[] {
  const absent = (names: readonly (keyof typeof VARIABLES)[]) => names.filter((name) => !settings[name]);
  const key = absent(['apiKey', 'authToken']);
  const workspace = absent(['workspaceId', 'workspaceAuthToken']);
  return [...absent(['baseUrl']), ...(workspace.length < key.length ? workspace : key)];
}

/** The error of a command that cannot ask the service, with the ways out. */
export function noCredential(settings: Settings): SvcError {
  const missing = missingSettings(settings).map((name) => VARIABLES[name]);
  const reason = settings.withheld ? ` (${settings.withheld})` : '';
  return new SvcError('no_credential', `not configured: ${missing.join(', ')}${reason}`, {
    hint: hint`${waysOut(settings)}, or use the embedded service with --local`,
  });
}

function waysOut({ profile }: Settings): Hint {
  if (!profile)
    return hint`save a profile with \`${template('configure', ['profiles', 'add'], '<name>')}\` or set these variables`;
  const completing = step('configure', 'profiles', 'add', profile.value, '--replace');
  return hint`complete profile '${profile.value}' with \`${completing}\` or set these variables`;
}
