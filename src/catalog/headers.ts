import type { Auth } from './define.ts';

export const DEFAULT_HEADER_PREFIX = 'x-svc-';

export const CREDENTIAL_HEADERS = {
  apiKey: 'api-key',
  authToken: 'auth-token',
  workspaceId: 'workspace-id',
  workspaceAuthToken: 'workspace-auth-token',
} as const;

export type CredentialName = keyof typeof CREDENTIAL_HEADERS;

/** Credentials for each value of `Auth`, in the order in which the service checks them. */
export const CREDENTIALS_BY_AUTH = {
  key: ['apiKey', 'authToken'],
  workspace: ['workspaceId', 'workspaceAuthToken'],
  none: [],
} as const satisfies Record<Auth, readonly CredentialName[]>;
