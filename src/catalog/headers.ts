import type { Auth } from './define.ts';

/** Default prefix of the credential headers; a live service may use a vendor's prefix. */
export const DEFAULT_HEADER_PREFIX = 'x-svc-';

/** Names of the credential headers, without the prefix. */
export const CREDENTIAL_HEADERS = {
  apiKey: 'api-key',
  authToken: 'auth-token',
  workspaceId: 'workspace-id',
  workspaceAuthToken: 'workspace-auth-token',
} as const;

export type CredentialName = keyof typeof CREDENTIAL_HEADERS;

/** CredentialNames of each kind of operation, in the order in which the service checks them. */
export const CREDENTIALS_BY_AUTH = {
  key: ['apiKey', 'authToken'],
  workspace: ['workspaceId', 'workspaceAuthToken'],
  none: [],
} as const satisfies Record<Auth, readonly CredentialName[]>;
