import type { OperationName } from '../catalog/index.ts';

/**
 * Kind of a finding: the HTTP status, the error status, the envelope, a field that the
 * embedded service lacks, or the type of a field.
 */
export type FindingKind = 'http' | 'status' | 'envelope' | 'field' | 'type';

/** A decision about the API that the embedded service follows. */
export interface Decision {
  /** Number of the decision, or `protocol` or `companions` for the rules of all operations. */
  readonly number: string;
  readonly text: string;
}

const DECISIONS = {
  protocol:
    'success is {"result"}, failure is {"error"}, and each error status has one HTTP status',
  companions: 'operations without a documented contract follow the conventions of the others',
  '1': 'credentials are checked first: missing is INVALID_ARGUMENT, an unknown API key is PERMISSION_DENIED, a wrong token is UNAUTHENTICATED',
  '2': 'a bulk call reports each item by its ID, also if some items fail',
  '3': 'adding a document to an unknown folder is INVALID_ARGUMENT',
  '4': 'adding users creates the organization and updates existing users',
  '5': 'user data has four lists and one page token, which is null at the end',
  '6': 'the first enable of webhooks or email adds default triggers',
  '7': 'the webhook configuration always has its first three fields',
  '8': 'the service returns secrets in clear',
  '9': 'expiresAt is in seconds, and must be in the future',
  '10': 'an access token is a JWT that is valid for 48 hours',
  '12': 'a token reset invalidates the old token at once',
  '13': 'an unknown folder is NOT_FOUND; a subtree follows a move of its root',
  '14': 'unknown document IDs are omitted; more than 30 are INVALID_ARGUMENT',
  '15': 'a notification for a missing organization or document is INVALID_ARGUMENT',
  '17': 'presence accepts any status, and an update adds missing users',
  '18': 'a migration is pending, in_progress, then completed or failed',
  '19': 'an unknown agent or agent group is NOT_FOUND',
  '20': 'endpoints need advanced webhooks; a used uid is ALREADY_EXISTS',
  '22': 'an unknown group is INVALID_ARGUMENT; an unknown user fails alone',
} as const;

type DecisionNumber = keyof typeof DECISIONS;

const BY_OPERATION: Readonly<Record<OperationName, DecisionNumber>> = {
  'access-tokens.generate': '10',
  'activities.add': 'companions',
  'activities.update': '2',
  'agents.get': '19',
  'agents.list': '19',
  'auth-tokens.list': 'companions',
  'auth-tokens.reset': '12',
  'crdt.add': 'companions',
  'crdt.get': 'companions',
  'crdt.update': 'protocol',
  'documents.add': '3',
  'documents.list': '14',
  'documents.migrate': '18',
  'documents.migration-status': '18',
  'email.get': 'companions',
  'email.update': '6',
  'folders.add': 'companions',
  'folders.list': '13',
  'folders.list.v1': '13',
  'folders.update': '13',
  'groups.add': 'companions',
  'groups.add-users': '22',
  'notifications.add': '15',
  'organizations.add': 'companions',
  'permission-provider.get': '8',
  'permission-provider.update': 'companions',
  'permissions.add': '9',
  'presence.add': '17',
  'presence.delete': '17',
  'presence.update': '17',
  'users.add': '4',
  'users.add.v2': '4',
  'users.data': '5',
  'users.update': 'companions',
  'users.update.v2': 'companions',
  'webhooks.advanced.get': '20',
  'webhooks.advanced.update': '20',
  'webhooks.config.get': '7',
  'webhooks.config.update': '6',
  'webhooks.endpoints.create': '20',
  'webhooks.endpoints.delete': '20',
  'webhooks.endpoints.list': '20',
  'webhooks.endpoints.secret': 'companions',
  'webhooks.endpoints.update': 'companions',
  'workspace.create': 'companions',
  'workspace.get': '8',
};

const CREDENTIAL_STATUSES: readonly unknown[] = ['UNAUTHENTICATED', 'PERMISSION_DENIED'];

/** Returns the decision that a finding contradicts. */
export function decisionOf(
  operation: OperationName,
  kind: FindingKind,
  status: string | null,
): Decision {
  const number = selectNumber(operation, kind, status);
  return { number, text: DECISIONS[number] };
}

function selectNumber(
  operation: OperationName,
  kind: FindingKind,
  status: string | null,
): DecisionNumber {
  if (CREDENTIAL_STATUSES.includes(status)) return '1';
  return kind === 'http' || kind === 'envelope' ? 'protocol' : BY_OPERATION[operation];
}
