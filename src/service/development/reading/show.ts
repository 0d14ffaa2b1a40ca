import { SvcError } from '../../../kernel/errors.ts';
import { didYouMean } from '../../../kernel/nearest.ts';
import { decideAccess, findDocumentAccess } from '../../records/access.ts';
import { chunkRows } from '../../store/chunks.ts';
import type { RecordRequest, StoredRecord } from './answers.ts';
import { RECORD_KINDS, type RecordKind, type RecordKindName, toRecord, toTime } from './kinds.ts';
import { findRecords, type ReadingScope, selectRows } from './list.ts';

/** A record in an organization, which is given by its surrogate key. */
interface Subject extends ReadingScope {
  readonly organization: number;
  readonly id: string;
}

const CARDS: Readonly<Record<string, readonly [RecordKindName, (subject: Subject) => Promise<object>]>> = {
  user: ['users', describeUser],
  organization: ['organizations', countRecords],
  folder: [
    'folders',
    async (subject) => ({ memberships: await readMemberships(subject, { level: 'folder', resourceId: subject.id }) }),
  ],
  document: ['documents', async (subject) => ({ users: await findUsersWithAccess(subject) })],
  group: [
    'groups',
    async (subject) => ({ userIds: await readColumn(subject, 'group-members', 'userId', { groupId: subject.id }) }),
  ],
};

/** Upper bound on the users, documents, or memberships in a card, and on the records to check for it. */
const MAX_LISTED = 100;
const MAX_CHECKED = 1_000;

/**
 * Finds a record in one organization or in all of them, and describes its memberships, access, and last activity.
 * @throws SvcError `usage` for an unknown kind, `not_found` with the nearest ID
 */
export async function showRecord(
  scope: ReadingScope,
  { kind, id, organization }: RecordRequest,
): Promise<readonly StoredRecord[]> {
  const [records, describe] = (Object.hasOwn(CARDS, kind) && CARDS[kind]) || [];
  if (!records || !describe) {
    throw new SvcError('usage', `unknown kind '${kind}'`, { hint: didYouMean(kind, Object.keys(CARDS)) });
  }
  const cards: StoredRecord[] = [];
  for (const { organization: key = 0, record } of await findRecords(scope, records, id, organization)) {
    cards.push({ ...record, ...(await describe({ ...scope, organization: key, id })) });
  }
  return cards;
}

async function describeUser(subject: Subject): Promise<object> {
  return {
    memberships: await readMemberships(subject, { userId: subject.id }),
    groups: await readColumn(subject, 'group-members', 'groupId', { userId: subject.id }),
    documents: await findOpenDocuments(subject),
    lastActivity: await findLastActivity(subject),
  };
}

function read({ organization, ...scope }: Subject, name: RecordKindName, equals: Readonly<Record<string, string>>) {
  const kind: RecordKind = RECORD_KINDS[name];
  return selectRows(scope, kind, { equals, limit: MAX_LISTED }, organization);
}

async function readMemberships(subject: Subject, equals: Readonly<Record<string, string>>): Promise<readonly object[]> {
  return (await read(subject, 'permissions', equals)).map((row) => RECORD_KINDS.permissions.toRecord(row, subject.now));
}

async function readColumn(subject: Subject, name: RecordKindName, column: string, equals: Readonly<Record<string, string>>) {
  return (await read(subject, name, equals)).map((row) => row[column]);
}

/** Lists documents that a user can open, among the first ones of the organization. */
async function findOpenDocuments(subject: Subject): Promise<readonly object[]> {
  const { database, organization, id, now } = subject;
  const documents = await selectRows(subject, RECORD_KINDS.documents, { limit: MAX_CHECKED }, organization);
  const found: object[] = [];
  for (const ids of chunkRows(documents.map(({ documentId }) => String(documentId)))) {
    for (const [documentId, access] of await findDocumentAccess(database, organization, ids)) {
      const decisions = await decideAccess(database, { organization, userIds: [id], now }, access);
      const role = decisions.get(id)?.role;
      if (role && found.push({ documentId, role }) === MAX_LISTED) return found;
    }
  }
  return found;
}

/** Lists users who can open a document, each with the innermost level that grants it. */
async function findUsersWithAccess({ database, organization, id, now }: Subject): Promise<readonly object[]> {
  const access = (await findDocumentAccess(database, organization, [id])).get(id);
  const levels = access?.path ?? [];
  const members = await database
    .selectFrom('members')
    .select('userId')
    .distinct()
    .where('organization', '=', organization)
    .where(({ eb, and, or }) => or(levels.map((at) => and([eb('level', '=', at.level), eb('resourceId', '=', at.resourceId)]))))
    .orderBy('userId')
    .limit(MAX_CHECKED)
    .execute();
  const found: object[] = [];
  for (const userIds of chunkRows(members.map(({ userId }) => userId))) {
    for (const [userId, { role, via }] of await decideAccess(database, { organization, userIds, now }, access)) {
      const { level, resourceId } = via[0] ?? {};
      if (role && found.push({ userId, role, level, ...(resourceId && { id: resourceId }) }) === MAX_LISTED) return found;
    }
  }
  return found;
}

/** Finds the newest activity of a user, or the last update of the user's presence. */
async function findLastActivity(subject: Subject): Promise<object | null> {
  const query = { match: `"userId":${JSON.stringify(subject.id)}`, limit: MAX_LISTED };
  const named = (await selectRows(subject, RECORD_KINDS.activities, query, subject.organization)).map(toRecord);
  const own = named.find(({ actionUser }) => Object(actionUser).userId === subject.id);
  const present = await read(subject, 'presence', { userId: subject.id });
  const moments = [
    ...(own
      ? [{ documentId: own['documentId'], action: own['actionType'] ?? 'activity', at: String(own['lastUpdated']) }]
      : []),
    ...present.map(({ lastUpdated, documentId }: StoredRecord) => ({
      documentId,
      action: 'presence',
      at: toTime(Number(lastUpdated)) ?? '',
    })),
  ];
  return moments.toSorted((a, b) => b.at.localeCompare(a.at))[0] ?? null;
}

async function countRecords({ database, organization }: Subject): Promise<object> {
  const counts: Record<string, number> = {};
  for (const table of ['users', 'userGroups', 'folders', 'documents'] as const) {
    const query = database.selectFrom(table).where('organization', '=', organization);
    counts[table] = Number((await query.select(({ fn }) => fn.countAll().as('count')).executeTakeFirstOrThrow()).count);
  }
  return counts;
}
