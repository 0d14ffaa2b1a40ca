import type { Environment } from './folders.ts';
import { meetSecret } from './redact.ts';

/** The environment variable of each setting. */
export const VARIABLES = {
  profile: 'SVC_PROFILE',
  baseUrl: 'SVC_BASE_URL',
  headerPrefix: 'SVC_HEADER_PREFIX',
  apiKey: 'SVC_API_KEY',
  authToken: 'SVC_AUTH_TOKEN',
  workspaceId: 'SVC_WORKSPACE_ID',
  workspaceAuthToken: 'SVC_WORKSPACE_AUTH_TOKEN',
  org: 'SVC_ORG',
  output: 'SVC_OUTPUT',
} as const;

/** Those that are no settings of a profile. */
export const SWITCHES = {
  allow: 'SVC_ALLOW',
  history: 'SVC_HISTORY',
  completionCache: 'SVC_COMPLETION_CACHE',
} as const;

/** The settings that are secrets. */
export const SECRET_NAMES = ['authToken', 'workspaceAuthToken'] as const satisfies readonly (keyof typeof VARIABLES)[];
export type SecretName = (typeof SECRET_NAMES)[number];

/** Makes the secrets of the environment known to what redacts, for who may speak before any setting was read. */
export function meetEnvironment(environment: Environment): void {
  for (const secret of SECRET_NAMES) meetSecret(environment[VARIABLES[secret]]);
  meetSecret(environment['PGPASSWORD']);
}
