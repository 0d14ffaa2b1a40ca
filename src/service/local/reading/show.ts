import type { RecordRequest, StoredRecord } from '../../../catalog/local/answers.ts';
import type { ShownKind, StoredKindName } from '../../../catalog/local/stored-kinds.ts';
import { decideAccess, findDocumentAccess } from '../../records/document-access.ts';
import { chunkRows } from '../../store/statements.ts';
import { STORED_KINDS, toRecord } from './kinds.ts';
import { createNotFoundError, type ReadingScope, readRows, selectRows } from './list.ts';

/** A record, with the surrogate key of its organization. */
interface Subject extends ReadingScope {
  readonly organization: number;
  readonly id: string;
}

type Describe = (subject: Subject) => Promise<object>;

/** Kinds of records to show, each with a function that reads the data related to a record. */
const CARDS: Readonly<Record<ShownKind, readonly [StoredKindName, Describe]>> = {
  user: ['users', describeUser],
  organization: ['organizations', async () => ({})],
  folder: [
    'folders',
    async (subject) => ({
      memberships: await readMemberships(subject, { level: 'folder', resourceId: subject.id }),
    }),
  ],
  document: ['documents', async (subject) => ({ users: await findUsersWithAccess(subject) })],
  group: [
    'groups',
    async (subject) => ({ userIds: await readGroups(subject, 'userId', { groupId: subject.id }) }),
  ],
};

const MAX_LISTED = 100;
const MAX_CHECKED = 1_000;

/**
 * Finds a record in one organization or in all organizations, and adds its memberships, access, and
 * last activity.
 * @throws SvcError `not_found` with the nearest ID
 */
export async function showRecord(
  scope: ReadingScope,
  request: RecordRequest,
): Promise<readonly StoredRecord[]> {
  const { kind, id, organization: organizationId } = request;
  const [name, describe] = CARDS[kind];
  const found = await readRows(scope, name, organizationId, {
    equals: { [STORED_KINDS[name].searched[0]]: id },
  });
  if (found.length === 0) throw await createNotFoundError(scope, name, id, organizationId);
  const cards: StoredRecord[] = [];
  for (const { row, organization, ...of } of found)
    cards.push({ ...of, ...toRecord(row), ...(await describe({ ...scope, organization, id })) });
  return cards;
}

async function describeUser(subject: Subject): Promise<object> {
  const own = { userId: subject.id };
  return {
    memberships: await readMemberships(subject, own),
    groups: await readGroups(subject, 'groupId', own),
    documents: await findOpenDocuments(subject),
    lastActivity: await findLastActivity(subject),
  };
}

async function readMemberships(
  subject: Subject,
  equals: Readonly<Record<string, string>>,
): Promise<readonly object[]> {
  const { permissions } = STORED_KINDS;
  const rows = await selectRows(
    subject,
    permissions,
    { equals, limit: MAX_LISTED },
    subject.organization,
  );
  return rows.map((row) => permissions.toRecord(row, subject.now));
}

async function readGroups(
  subject: Subject,
  column: string,
  equals: Readonly<Record<string, string>>,
) {
  const rows = await selectRows(
    subject,
    STORED_KINDS['group-members'],
    { equals, limit: MAX_LISTED },
    subject.organization,
  );
  return rows.map((row) => row[column]);
}

async function findOpenDocuments(subject: Subject): Promise<readonly object[]> {
  const { database, organization, id, now } = subject;
  const found: object[] = [];
  for (const { documentId } of await selectRows(
    subject,
    STORED_KINDS.documents,
    { limit: MAX_CHECKED },
    organization,
  )) {
    const access = await findDocumentAccess(database, organization, String(documentId));
    const role = (await decideAccess(database, { organization, userIds: [id], now }, access)).get(
      id,
    )?.role;
    if (role && found.push({ documentId, role }) === MAX_LISTED) break;
  }
  return found;
}

/** Lists users who can open a document, each with the innermost level that grants it. */
async function findUsersWithAccess({
  database,
  organization,
  id,
  now,
}: Subject): Promise<readonly object[]> {
  const access = await findDocumentAccess(database, organization, id);
  const members = database
    .selectFrom('members')
    .select('userId')
    .distinct()
    .where('organization', '=', organization);
  const onPath = members.where(({ eb, and, or }) =>
    or(
      (access?.path ?? []).map((at) =>
        and([eb('level', '=', at.level), eb('resourceId', '=', at.id)]),
      ),
    ),
  );
  const candidates = await onPath.orderBy('userId').limit(MAX_CHECKED).execute();
  const found: object[] = [];
  for (const userIds of chunkRows(candidates.map(({ userId }) => userId))) {
    for (const [userId, { role, via }] of await decideAccess(
      database,
      { organization, userIds, now },
      access,
    )) {
      const [{ level, id: from } = {}] = via;
      if (role && found.push({ userId, role, level, ...(from && { id: from }) }) === MAX_LISTED)
        return found;
    }
  }
  return found;
}

/** Finds the newest activity of a user, or the last update of the user's presence. */
async function findLastActivity(subject: Subject): Promise<object | undefined> {
  const { id: userId, organization } = subject;
  const query = { match: `"userId":${JSON.stringify(userId)}`, limit: MAX_LISTED };
  const named = (await selectRows(subject, STORED_KINDS.activities, query, organization)).map(
    toRecord,
  );
  const own = named.filter(({ actionUser }) => Object(actionUser).userId === userId);
  const present = await selectRows(
    subject,
    STORED_KINDS.presence,
    { equals: { userId } },
    organization,
  );
  const moments = [...own, ...present].map(
    ({ documentId, actionType: action = 'presence', lastUpdated }) => {
      return { documentId, action, at: Number(lastUpdated) };
    },
  );
  return moments.toSorted((a, b) => b.at - a.at)[0];
}
