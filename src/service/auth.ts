import type { Auth } from '../catalog/define.ts';
import { CREDENTIAL_HEADERS, type Credential, DEFAULT_HEADER_PREFIX } from '../catalog/headers.ts';
import { isSameSecret } from '../kernel/same-secret.ts';
import type { Call, CallOf, KeyCall, WorkspaceCall } from './call.ts';
import { invalidArgument, Refusal } from './refusal.ts';
import type { ServiceRequest } from './request.ts';
import { prepared } from './store/prepared.ts';

/**
 * Checks the credential that an operation asks for, in the interface's order: id missing, token missing, id unknown,
 * token wrong.
 * @throws Refusal as the first of these that applies.
 */
export async function authenticate(kind: Auth, request: ServiceRequest, call: Call): Promise<CallOf<Auth>> {
  switch (kind) {
    case 'key':
      return asKey(request, call);
    case 'workspace':
      return asWorkspace(request, call);
    case 'none':
      return call;
  }
}

/** Only bearer tokens, which are not looked at, may stand in `Authorization`. */
export function checkAuthorization(request: ServiceRequest): void {
  const authorization = request.header('authorization');
  if (authorization !== undefined && !/^bearer\s/i.test(authorization)) {
    throw new Refusal('UNAUTHENTICATED', 'Unauthenticated');
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
export function statedKey(kind: Auth, request: ServiceRequest): string | undefined {
  return kind === 'key' ? stated(request, 'apiKey') : undefined;
}

/**
 * Checks that a request has the headers of its credentials, without looking at their values.
 * @throws Refusal INVALID_ARGUMENT for the first one that is missing.
 */
export function checkStated(kind: Auth, request: ServiceRequest): void {
  for (const credential of ASKED_FOR[kind]) required(request, credential);
}

async function asKey(request: ServiceRequest, call: Call): Promise<KeyCall> {
  const apiKey = required(request, 'apiKey');
  const token = required(request, 'authToken');
  const known = await tokensOfKey(call.database, { apiKey });
  if (known.length === 0) throw new Refusal('PERMISSION_DENIED', 'Invalid API key.');
  const matching = known.filter((key) => key.token !== null && isSameSecret(key.token, token));
  if (matching.length === 0) throw new Refusal('UNAUTHENTICATED', 'Invalid auth token.');
  return { ...call, apiKey };
}

async function asWorkspace(request: ServiceRequest, call: Call): Promise<WorkspaceCall> {
  const workspaceId = required(request, 'workspaceId');
  const token = required(request, 'workspaceAuthToken');
  const [known] = await tokenOfWorkspace(call.database, { workspaceId });
  if (!known) throw new Refusal('NOT_FOUND', 'Workspace not found.');
  if (!isSameSecret(known.authToken, token)) {
    throw new Refusal('UNAUTHENTICATED', 'Invalid auth token for workspace.');
  }
  return { ...call, workspaceId };
}

const headerName = (credential: Credential) => `${DEFAULT_HEADER_PREFIX}${CREDENTIAL_HEADERS[credential]}`;

/** Put together once, not by every call. */
const HEADERS: Readonly<Record<Credential, string>> = {
  apiKey: headerName('apiKey'),
  authToken: headerName('authToken'),
  workspaceId: headerName('workspaceId'),
  workspaceAuthToken: headerName('workspaceAuthToken'),
};

/** In the order in which they are checked. */
const ASKED_FOR: Readonly<Record<Auth, readonly Credential[]>> = {
  key: ['apiKey', 'authToken'],
  workspace: ['workspaceId', 'workspaceAuthToken'],
  none: [],
};

const MISSING: Readonly<Record<Credential, string>> = {
  apiKey: 'API key not found in headers.',
  authToken: 'Auth Token not found in headers.',
  workspaceId: 'Workspace ID not found in headers.',
  workspaceAuthToken: 'Auth Token not found in headers.',
};

function stated(request: ServiceRequest, credential: Credential): string | undefined {
  return request.header(HEADERS[credential]);
}

function required(request: ServiceRequest, credential: Credential): string {
  const value = stated(request, credential);
  if (!value) throw invalidArgument(MISSING[credential]);
  return value;
}
