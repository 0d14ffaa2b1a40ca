import { DEFAULT_ACCESS_ROLE } from '../../../catalog/access-roles.ts';
import { toAgentRecord } from '../../records/agent-record.ts';
import { parseOtherFields } from '../../state/section.ts';
import type { StoredRecord } from './answers.ts';

/** How to read the records of a kind from the store, and which fields to show. */
export interface RecordKind {
  readonly table: string;
  /** Fields of the table on a terminal. A narrow terminal hides the last ones first. */
  readonly fields: readonly string[];
  /** Columns that a search looks at, starting with the ID. */
  readonly searched: readonly [string, ...string[]];
  /** Column that sorts the records, descending with `-` (default: the searched columns). */
  readonly order?: string;
  readonly where?: Readonly<Record<string, string>>;
  /** Whether records belong to the API key instead of an organization. */
  readonly isOfKey?: true;
  /** Field that is masked. */
  readonly secret?: string;
  readonly toRecord?: (row: StoredRecord, now: number) => StoredRecord;
}

const members = { table: 'members', toRecord: toMembership } as const;
const userData = {
  ...({ table: 'userData', searched: ['documentId', 'data'], order: '-key', fields: ['id', 'documentId'] } as const),
  toRecord: ({ feature: _, notificationId: __, ...row }: StoredRecord) => toRecord(row),
};

/** The kinds of records that `svc local list` shows. */
export const RECORD_KINDS = {
  organizations: {
    ...{ table: 'organizations', isOfKey: true, searched: ['organizationId', 'organizationName'] },
    fields: ['organizationId', 'organizationName', 'createdAt'],
  },
  users: { table: 'users', searched: ['userId', 'name', 'email'], fields: ['userId', 'name', 'email'] },
  groups: { table: 'userGroups', searched: ['groupId', 'groupName'], fields: ['groupId', 'groupName'] },
  'group-members': { table: 'userGroupMembers', searched: ['groupId', 'userId'], fields: ['groupId', 'userId'] },
  members: {
    ...members,
    where: { level: 'organization' },
    searched: ['userId'],
    fields: ['userId', 'role', 'expiresAt', 'state'],
  },
  permissions: {
    ...{ ...members, searched: ['userId', 'level', 'resourceId'] },
    fields: ['userId', 'level', 'id', 'role', 'expiresAt', 'state'],
  },
  folders: {
    ...{ table: 'folders', searched: ['folderId', 'folderName'] },
    fields: ['folderId', 'folderName', 'parentFolderId', 'accessType', 'lastUpdated'],
  },
  documents: {
    ...{ table: 'documents', searched: ['documentId', 'documentName'] },
    fields: ['documentId', 'documentName', 'folderId', 'accessType', 'disabled'],
  },
  notifications: { ...userData, where: { feature: 'notifications' }, fields: ['notificationId', 'documentId', 'timestamp'] },
  comments: { ...userData, where: { feature: 'comments' } },
  reactions: { ...userData, where: { feature: 'reactions' } },
  recordings: { ...userData, where: { feature: 'recordings' } },
  activities: {
    ...{ table: 'activities', searched: ['activityId', 'documentId', 'data'], order: '-key' },
    fields: ['activityId', 'documentId', 'featureType', 'actionType', 'actionUser.userId', 'lastUpdated'],
  },
  presence: {
    ...{ table: 'presence', searched: ['documentId', 'userId', 'name', 'email'] },
    fields: ['documentId', 'userId', 'status', 'lastUpdated', 'name'],
  },
  crdt: {
    ...{ table: 'editors', searched: ['documentId', 'editorId'], toRecord: ({ state: _, ...editor }) => toRecord(editor) },
    fields: ['documentId', 'editorId', 'contentKey', 'lastUpdate'],
  },
  agents: {
    ...{ table: 'agents', isOfKey: true, searched: ['agentId', 'agent'], order: 'key', fields: ['id', 'name', 'enabled'] },
    toRecord: ({ agent }) => toAgentRecord(JSON.parse(String(agent))),
  },
  'agent-groups': {
    ...{ table: 'agentGroups', isOfKey: true, searched: ['groupId', 'agentIds'], order: 'key' },
    fields: ['groupId', 'agentIds'],
  },
  endpoints: {
    ...{ table: 'endpoints', isOfKey: true, searched: ['id', 'uid', 'url', 'description'], order: '-key', secret: 'secret' },
    fields: ['id', 'url', 'disabled', 'secret'],
  },
  tokens: { table: 'authTokens', isOfKey: true, searched: ['name'], secret: 'token', fields: ['token', 'name', 'apiKey'] },
  migrations: {
    ...{
      table: 'documentMigrations',
      isOfKey: true,
      searched: ['migrationId', 'documentId', 'newDocumentId'],
      order: '-createdAt',
    },
    fields: ['migrationId', 'status', 'documentId', 'newDocumentId'],
  },
} as const satisfies Readonly<Record<string, RecordKind>>;

export type RecordKindName = keyof typeof RECORD_KINDS;

const INTERNAL_COLUMNS: ReadonlySet<string> = new Set(['organization', 'key', 'begun', 'failingSince']);
const JSON_COLUMNS: ReadonlySet<string> = new Set([
  'ancestors',
  'agentIds',
  'channels',
  'domains',
  'filterTypes',
  'metadata',
  'types',
]);
const FLAGS: ReadonlySet<string> = new Set(['disabled', 'inheritAccessFromParent']);

/** Converts a row of any table to a record: without internal columns, with JSON parsed and times as text. */
export function toRecord({ otherFields, data, agentGroup, ...row }: StoredRecord): Record<string, unknown> {
  const fields = Object.entries(row).filter(([name]) => !INTERNAL_COLUMNS.has(name));
  const others = [data, agentGroup, otherFields].map((json) => parseOtherFields(typeof json === 'string' ? json : null));
  return Object.assign({}, ...others, Object.fromEntries(fields.map(([name, value]) => [name, toField(name, value)])));
}

function toField(name: string, value: unknown): unknown {
  if (typeof value === 'number' && /(At|Updated?)$/.test(name)) return toTime(value);
  if (typeof value === 'string' && JSON_COLUMNS.has(name)) return JSON.parse(value);
  return FLAGS.has(name) ? value === 1 : value;
}

function toMembership(
  { organization: _, level, resourceId, accessRole, expiresAt, ...row }: StoredRecord,
  now: number,
): StoredRecord {
  const resource = level === 'organization' ? {} : { id: resourceId };
  const state = expiresAt !== null && Number(expiresAt) <= now ? 'expired' : 'active';
  return { ...toRecord({ level, ...resource, role: accessRole ?? DEFAULT_ACCESS_ROLE, expiresAt, ...row }), state };
}

/** Formats a time in milliseconds as RFC 3339. */
export function toTime(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(Math.min(milliseconds, MAX_TIME)).toISOString();
}

/** The last time that a date can have, in milliseconds. */
const MAX_TIME = 8.64e15;
