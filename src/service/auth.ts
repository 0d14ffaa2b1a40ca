import { sql } from 'kysely';
import type { Auth } from '../catalog/define.ts';
import {
  CREDENTIAL_HEADERS,
  CREDENTIALS_BY_AUTH,
  type CredentialName,
  DEFAULT_HEADER_PREFIX,
} from '../catalog/headers.ts';
import { isSameSecret } from '../kernel/same-secret.ts';
import type { CallOf, KeyCall, ServiceCall, WorkspaceCall } from './calls/call.ts';
import type { ServiceRequest } from './calls/request.ts';
import { prepareQuery } from './store/prepared-query.ts';
import { invalidArgument, Refusal } from './store/refusal.ts';
import { prepareSelect } from './store/statements.ts';
import { loadOnce } from './store/transaction-cache.ts';

/**
 * Checks the credential that an operation requires. The order of the checks is part of the API:
 * missing ID, missing token, unknown ID, wrong token.
 * @throws Refusal for the first failed check
 */
export async function authenticate(
  kind: Auth,
  request: ServiceRequest,
  call: ServiceCall,
): Promise<CallOf<Auth>> {
  if (kind === 'key') return authenticateKey(request, call);
  return kind === 'workspace' ? authenticateWorkspace(request, call) : call;
}

/** Rejects `Authorization` headers other than bearer tokens. Ignores the value of bearer tokens. */
export function checkAuthorizationHeader(request: ServiceRequest): void {
  const authorization = request.header('authorization');
  if (authorization !== undefined && !/^bearer\s/i.test(authorization))
    throw new Refusal('UNAUTHENTICATED', 'Unauthenticated');
}

/** Selects a row with null for a key without tokens. */
const tokensOfKey = prepareQuery(
  (_, { apiKey }: { readonly apiKey: string }) =>
    sql<{
      token: string | null;
    }>`select token from "apiKeys" left join "authTokens" on "apiKey" = id where id = ${apiKey}`,
);

const selectWorkspaceToken = prepareSelect('workspaces', ['authToken']);

/** The key is not verified. */
export function readApiKeyHeader(kind: Auth, request: ServiceRequest): string | undefined {
  return kind === 'key' ? credentialIn(request, 'apiKey') : undefined;
}

/** Does not verify the values. @throws Refusal INVALID_ARGUMENT for the first missing header */
export function requireCredentialHeaders(kind: Auth, request: ServiceRequest): void {
  for (const credential of CREDENTIALS_BY_AUTH[kind]) requireCredential(request, credential);
}

async function authenticateKey(request: ServiceRequest, call: ServiceCall): Promise<KeyCall> {
  const apiKey = requireCredential(request, 'apiKey');
  const token = requireCredential(request, 'authToken');
  const known = await loadOnce(call.database, `tokens of ${apiKey}`, async () => {
    const rows = await tokensOfKey(call.database, { apiKey });
    return rows.length > 0 ? rows : undefined;
  });
  if (!known) throw new Refusal('PERMISSION_DENIED', 'Invalid API key.');
  const matching = known.filter(
    (key) => key.token !== null && isValidToken(request, token, key.token),
  );
  if (matching.length === 0) throw new Refusal('UNAUTHENTICATED', 'Invalid auth token.');
  return { ...call, apiKey };
}

async function authenticateWorkspace(
  request: ServiceRequest,
  call: ServiceCall,
): Promise<WorkspaceCall> {
  const workspaceId = requireCredential(request, 'workspaceId');
  const token = requireCredential(request, 'workspaceAuthToken');
  const [known] = await selectWorkspaceToken(call.database, { id: workspaceId });
  if (!known) throw new Refusal('NOT_FOUND', 'Workspace not found.');
  if (!isValidToken(request, token, known.authToken))
    throw new Refusal('UNAUTHENTICATED', 'Invalid auth token for workspace.');
  return { ...call, workspaceId };
}

/**
 * A caller in this process can read the token itself, so timing reveals nothing. Without
 * `isSameSecret`, a call does not load `node:crypto`, which takes 8 ms.
 */
function isValidToken({ isInProcess }: ServiceRequest, given: string, valid: string): boolean {
  return isInProcess ? given === valid : isSameSecret(given, valid);
}

const MISSING_MESSAGES: Readonly<Record<CredentialName, string>> = {
  apiKey: 'API key not found in headers.',
  authToken: 'Auth Token not found in headers.',
  workspaceId: 'Workspace ID not found in headers.',
  workspaceAuthToken: 'Auth Token not found in headers.',
};

function credentialIn(request: ServiceRequest, credential: CredentialName): string | undefined {
  return request.header(DEFAULT_HEADER_PREFIX + CREDENTIAL_HEADERS[credential]);
}

function requireCredential(request: ServiceRequest, credential: CredentialName): string {
  const value = credentialIn(request, credential);
  if (!value) throw invalidArgument(MISSING_MESSAGES[credential]);
  return value;
}
