import { SvcError } from '../kernel/errors.ts';
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
    hint: `${waysOut(settings)}, or use the embedded service with --local`,
  });
}

function waysOut({ profile }: Settings): string {
  if (!profile) return 'save a profile with `svc profiles add` or set these variables';
  return `complete profile '${profile.value}' with \`svc profiles add ${profile.value} --replace\` or set these variables`;
}
