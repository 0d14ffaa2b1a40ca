import type { Auth } from '../catalog/define.ts';
import { CREDENTIAL_HEADERS, DEFAULT_HEADER_PREFIX } from '../catalog/headers.ts';
import { isSameSecret } from '../kernel/same-secret.ts';
import { invalidArgument, ServiceError } from './errors.ts';
import type { Call, CallOf, KeyCall, WorkspaceCall } from './handlers/handler.ts';
import { prepared } from './store/prepared.ts';

/**
 * Checks the credential that an operation asks for, in the interface's order: id missing, token missing, id unknown,
 * token wrong.
 * @throws ServiceError as the first of these that applies.
 */
export async function authenticate(kind: Auth, headers: Headers, call: Call): Promise<CallOf<Auth>> {
  switch (kind) {
    case 'key':
      return asKey(headers, call);
    case 'workspace':
      return asWorkspace(headers, call);
    case 'none':
      return call;
  }
}

/** Only bearer tokens, which are not looked at, may stand in `Authorization`. */
export function checkAuthorization(headers: Headers): void {
  const authorization = headers.get('authorization');
  if (authorization !== null && !/^bearer\s/i.test(authorization)) {
    throw new ServiceError('UNAUTHENTICATED', 'Unauthenticated');
  }
}

/** A row a token; a key without one is a row all the same. */
const tokensOfKey = prepared((database, { apiKey }: { readonly apiKey: string }) =>
  database
    .selectFrom('apiKeys')
    .leftJoin('authTokens', 'authTokens.apiKey', 'apiKeys.id')
    .select('authTokens.token')
    .where('apiKeys.id', '=', apiKey),
);

const tokenOfWorkspace = prepared((database, { workspaceId }: { readonly workspaceId: string }) =>
  database.selectFrom('workspaces').select('authToken').where('id', '=', workspaceId),
);

/** The API key that a call says it is made with, before anything of it is checked. */
export function statedKey(kind: Auth, headers: Headers): string | undefined {
  return kind === 'key' ? (headerOf(headers, 'apiKey') ?? undefined) : undefined;
}

async function asKey(headers: Headers, call: Call): Promise<KeyCall> {
  const apiKey = required(headers, 'apiKey', 'API key not found in headers.');
  const token = required(headers, 'authToken', 'Auth Token not found in headers.');
  const known = await tokensOfKey(call.database, { apiKey });
  if (known.length === 0) throw new ServiceError('PERMISSION_DENIED', 'Invalid API key.');
  const matching = known.filter((key) => key.token !== null && isSameSecret(key.token, token));
  if (matching.length === 0) throw new ServiceError('UNAUTHENTICATED', 'Invalid auth token.');
  return { ...call, apiKey };
}

async function asWorkspace(headers: Headers, call: Call): Promise<WorkspaceCall> {
  const workspaceId = required(headers, 'workspaceId', 'Workspace ID not found in headers.');
  const token = required(headers, 'workspaceAuthToken', 'Auth Token not found in headers.');
  const [known] = await tokenOfWorkspace(call.database, { workspaceId });
  if (!known) throw new ServiceError('NOT_FOUND', 'Workspace not found.');
  if (!isSameSecret(known.authToken, token)) {
    throw new ServiceError('UNAUTHENTICATED', 'Invalid auth token for workspace.');
  }
  return { ...call, workspaceId };
}

type CredentialName = keyof typeof CREDENTIAL_HEADERS;

function headerOf(headers: Headers, name: CredentialName): string | null {
  return headers.get(`${DEFAULT_HEADER_PREFIX}${CREDENTIAL_HEADERS[name]}`);
}

function required(headers: Headers, name: CredentialName, message: string): string {
  const value = headerOf(headers, name);
  if (!value) throw invalidArgument(message);
  return value;
}
