import { DEFAULT_ACCESS_ROLE } from '../../../catalog/access-roles.ts';
import type { StoredRecord } from '../../../catalog/local/answers.ts';
import type { StoredKindName } from '../../../catalog/local/stored-kinds.ts';
import { toAgentRecord } from '../../records/agents.ts';
import { parseOtherFields } from '../../state/section.ts';

/** Describes how to read the records of a kind from the store, and which fields to show. */
export interface StoredKind {
  readonly table: string;
  /** Columns of the table on a terminal. Narrow terminals hide them from right to left. */
  readonly fields: readonly string[];
  /** Columns that a search compares, starting with the ID. */
  readonly searched: readonly [string, ...string[]];
  /**
   * Columns that sort the records, descending with `-` (default: the searched columns). Must be the
   * order of an index.
   */
  readonly order?: readonly string[];
  readonly where?: Readonly<Record<string, string>>;
  /** Whether records belong to the API key instead of an organization. */
  readonly isOfKey?: true;
  readonly toRecord?: (row: StoredRecord, now: number) => StoredRecord;
}

const members = { table: 'members', toRecord: toMembership } as const;
export const STORED_KINDS = {
  organizations: {
    table: 'organizations',
    isOfKey: true,
    searched: ['organizationId', 'organizationName'],
    fields: ['organizationId', 'organizationName', 'createdAt'],
  },
  users: {
    table: 'users',
    searched: ['userId', 'name', 'email'],
    fields: ['userId', 'name', 'email'],
  },
  groups: {
    table: 'userGroups',
    searched: ['groupId', 'groupName'],
    fields: ['groupId', 'groupName'],
  },
  'group-members': {
    table: 'userGroupMembers',
    searched: ['groupId', 'userId'],
    fields: ['organizationUserGroupId', 'userId'],
    // The name of the group in requests that add members.
    toRecord: ({ groupId: organizationUserGroupId, userId, ...row }) =>
      toRecord({ ...row, organizationUserGroupId, userId }),
  },
  members: {
    ...members,
    where: { level: 'organization', resourceId: '' },
    searched: ['userId'],
    fields: ['userId', 'role', 'expiresAt', 'state'],
  },
  permissions: {
    ...members,
    searched: ['userId', 'level', 'resourceId'],
    order: ['level', 'resourceId', 'userId'],
    fields: ['userId', 'level', 'id', 'role', 'expiresAt', 'state'],
  },
  folders: {
    table: 'folders',
    searched: ['folderId', 'folderName'],
    fields: ['folderId', 'folderName', 'parentFolderId', 'accessType', 'lastUpdated'],
  },
  documents: {
    table: 'documents',
    searched: ['documentId', 'documentName'],
    fields: ['documentId', 'documentName', 'folderId', 'accessType', 'disabled'],
  },
  notifications: {
    table: 'userData',
    where: { feature: 'notifications' },
    searched: ['notificationId', 'data'],
    order: ['-key'],
    fields: ['notificationId', 'documentId', 'notificationSource', 'timestamp'],
    toRecord: ({ feature: _, ...row }) => toRecord(row),
  },
  activities: {
    table: 'activities',
    searched: ['activityId', 'documentId', 'data'],
    order: ['-key'],
    fields: [
      'activityId',
      'documentId',
      'featureType',
      'actionType',
      'actionUser.userId',
      'lastUpdated',
    ],
  },
  presence: {
    table: 'presence',
    searched: ['documentId', 'userId', 'name', 'email'],
    fields: ['documentId', 'userId', 'status', 'lastUpdated', 'name'],
  },
  crdt: {
    table: 'editors',
    searched: ['documentId', 'editorId'],
    toRecord: ({ state: _, ...editor }) => toRecord(editor),
    fields: ['documentId', 'editorId', 'contentKey', 'lastUpdate'],
  },
  agents: {
    table: 'agents',
    isOfKey: true,
    searched: ['agentId', 'agent'],
    order: ['key'],
    fields: ['id', 'name', 'enabled'],
    toRecord: ({ agent }) => toAgentRecord(JSON.parse(String(agent))),
  },
  endpoints: {
    table: 'endpoints',
    isOfKey: true,
    searched: ['id', 'uid', 'url', 'description'],
    order: ['-key'],
    fields: ['id', 'uid', 'url', 'disabled', 'secret'],
  },
  tokens: {
    table: 'authTokens',
    isOfKey: true,
    searched: ['name'],
    fields: ['token', 'name', 'apiKey'],
  },
} as const satisfies Readonly<Record<StoredKindName, StoredKind>>;

const INTERNAL_COLUMNS: ReadonlySet<string> = new Set([
  'organization',
  'key',
  'begun',
  'failingSince',
  'failingReason',
]);
const JSON_COLUMNS: ReadonlySet<string> = new Set([
  'ancestors',
  'channels',
  'domains',
  'filterTypes',
  'metadata',
  'types',
]);
const FLAGS: ReadonlySet<string> = new Set(['disabled', 'inheritAccessFromParent']);

/** Converts a row of any table to a record: without internal columns, and with JSON parsed. */
export function toRecord({ otherFields, data, ...row }: StoredRecord): Record<string, unknown> {
  const fields = Object.entries(row).filter(([name]) => !INTERNAL_COLUMNS.has(name));
  const others = [data, otherFields].map((json) =>
    parseOtherFields(typeof json === 'string' ? json : null),
  );
  return Object.assign(
    {},
    ...others,
    Object.fromEntries(fields.map(([name, value]) => [name, toField(name, value)])),
  );
}

function toField(name: string, value: unknown): unknown {
  if (typeof value === 'string' && JSON_COLUMNS.has(name)) return JSON.parse(value);
  return FLAGS.has(name) ? value === 1 : value;
}

function toMembership(
  { level, resourceId, accessRole, ...row }: StoredRecord,
  now: number,
): StoredRecord {
  const { expiresAt, ...others } = toRecord(row);
  const resource = level === 'organization' ? { level } : { level, id: resourceId };
  const state = expiresAt !== null && Number(expiresAt) <= now ? 'expired' : 'active';
  return { ...others, ...resource, role: accessRole ?? DEFAULT_ACCESS_ROLE, expiresAt, state };
}
