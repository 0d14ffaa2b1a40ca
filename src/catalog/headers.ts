import type { Auth } from './define.ts';

/** Begins every credential header; the live interface carries a vendor's prefix in its place. */
export const DEFAULT_HEADER_PREFIX = 'x-svc-';

/** Names of the credential headers, behind the prefix. */
export const CREDENTIAL_HEADERS = {
  apiKey: 'api-key',
  authToken: 'auth-token',
  workspaceId: 'workspace-id',
  workspaceAuthToken: 'workspace-auth-token',
} as const;

export type Credential = keyof typeof CREDENTIAL_HEADERS;

/** The credentials that each kind of operation carries. */
export const CREDENTIALS_OF = {
  key: ['apiKey', 'authToken'],
  workspace: ['workspaceId', 'workspaceAuthToken'],
  none: [],
} as const satisfies Record<Auth, readonly Credential[]>;
