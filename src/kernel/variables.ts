import type { Environment } from './folders.ts';
import { rememberSecret } from './redact.ts';

export const SETTING_VARIABLES = {
  profile: 'SVC_PROFILE',
  baseUrl: 'SVC_BASE_URL',
  headerPrefix: 'SVC_HEADER_PREFIX',
  apiKey: 'SVC_API_KEY',
  authToken: 'SVC_AUTH_TOKEN',
  workspaceId: 'SVC_WORKSPACE_ID',
  workspaceAuthToken: 'SVC_WORKSPACE_AUTH_TOKEN',
  caFile: 'SVC_CA_FILE',
  clientCert: 'SVC_CLIENT_CERT',
  clientKey: 'SVC_CLIENT_KEY',
  clientKeyPassphrase: 'SVC_CLIENT_KEY_PASSPHRASE',
  org: 'SVC_ORG',
  output: 'SVC_OUTPUT',
} as const;

export const SWITCH_VARIABLES = {
  allow: 'SVC_ALLOW',
  readOnly: 'SVC_READ_ONLY',
  history: 'SVC_HISTORY',
  undo: 'SVC_UNDO',
  completionCache: 'SVC_COMPLETION_CACHE',
  pager: 'SVC_PAGER',
  contract: 'SVC_CONTRACT',
} as const;

export const SECRET_SETTINGS = [
  'authToken',
  'workspaceAuthToken',
  'clientKeyPassphrase',
] as const satisfies readonly (keyof typeof SETTING_VARIABLES)[];
export type SecretSetting = (typeof SECRET_SETTINGS)[number];

/** Records the secrets in the environment for redaction, before any message is printed. */
export function rememberEnvironmentSecrets(environment: Environment): void {
  for (const secret of SECRET_SETTINGS) rememberSecret(environment[SETTING_VARIABLES[secret]]);
  rememberSecret(environment['PGPASSWORD']);
}
