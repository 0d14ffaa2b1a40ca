/** Begins every credential header; the live interface carries a vendor's prefix in its place. */
export const DEFAULT_HEADER_PREFIX = 'x-svc-';

/** Names of the credential headers, behind the prefix. */
export const CREDENTIAL_HEADERS = {
  apiKey: 'api-key',
  authToken: 'auth-token',
  workspaceId: 'workspace-id',
  workspaceAuthToken: 'workspace-auth-token',
} as const;
