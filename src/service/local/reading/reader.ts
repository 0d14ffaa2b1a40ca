import type {
  AccessQuestion,
  Explanation,
  ListFilter,
  RecordRequest,
  StoredRecord,
  StoredRecords,
} from '../../../catalog/local/answers.ts';
import type { StoredKindName } from '../../../catalog/local/stored-kinds.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { decideAccess, findDocumentAccess } from '../../records/document-access.ts';
import { findOrganization } from '../../records/organizations.ts';
import { selectUsers } from '../../records/users.ts';
import type { Store } from '../../store/store.ts';
import { createServiceClock } from '../clock.ts';
import type { AdminHandlers } from '../handler.ts';
import type { DevelopmentState } from '../state.ts';
import { STORED_KINDS, type StoredKind, toRecord } from './kinds.ts';
import {
  createNotFoundError,
  listRecords,
  type ReadingScope,
  readRows,
  requireOrganizationKey,
  selectRows,
} from './list.ts';
import { showRecord } from './show.ts';

export interface ReaderContext {
  readonly store: Store;
  readonly apiKey: string;
  readonly development: DevelopmentState;
  readonly realClock: Clock;
  readonly commandOf: (words: readonly string[]) => string;
}

/** Reads data that the API cannot return. */
export interface Reader {
  readonly list: (kind: StoredKindName, filter?: ListFilter) => Promise<StoredRecords>;
  readonly show: (request: RecordRequest) => Promise<readonly StoredRecord[]>;
  readonly explain: (question: AccessQuestion) => Promise<Explanation>;
}

/** Creates functions that read data that the API cannot return, each in one transaction. */
export function createReader({
  store,
  apiKey,
  development,
  realClock,
  commandOf,
}: ReaderContext): Reader {
  const clock = createServiceClock(realClock, development);
  const read = <Result>(work: (scope: ReadingScope) => Promise<Result>) =>
    store.read(async (database) => {
      await development.current(database);
      return work({ database, apiKey, now: clock.now() });
    });
  return {
    list: (kind: StoredKindName, filter: ListFilter = {}) =>
      read((scope) => listRecords(scope, kind, filter)),
    show: (request: RecordRequest) => read((scope) => showRecord(scope, request)),
    explain: (question: AccessQuestion) =>
      read((scope) => explainAccess(scope, question, commandOf)),
  };
}

export const records: AdminHandlers<'records', ReaderContext> = {
  'local.list': (context, { kind, org: organization, match, limit }) =>
    createReader(context).list(kind, { organization, match, limit }),
  'local.show': async (context, { kind, id, org: organization }) => ({
    records: await createReader(context).show({ kind, id, organization }),
  }),
  'local.explain': (context, { user, document, org: organization }) =>
    createReader(context).explain({ user, document, organization }),
};

/**
 * Explains whether a user can open a document.
 * @param commandOf converts the words of a command to a command line
 * @throws SvcError `not_found` for an unknown organization or document, or for a user who is in no
 * organization
 */
export async function explainAccess(
  scope: ReadingScope,
  question: AccessQuestion,
  commandOf: (words: readonly string[]) => string,
): Promise<Explanation> {
  const { database, now } = scope;
  const { user, document: documentId, organization: organizationId } = question;
  const organization = await requireOrganizationKey(scope, organizationId);
  const document = await findDocumentAccess(database, organization, documentId);
  if (!document) throw await createNotFoundError(scope, 'documents', documentId, organizationId);
  const own = await selectUsers(database, { organization, userId: user });
  const isKnown =
    own.length > 0 ||
    (await readRows(scope, 'users', undefined, { equals: { userId: user }, limit: 1 })).length > 0;
  if (!isKnown) throw await createNotFoundError(scope, 'users', user, organizationId);
  const decisions = await decideAccess(database, { organization, userIds: [user], now }, document);
  const { allowed = false, role = null, via = [], nearMisses = [] } = decisions.get(user) ?? {};
  const withId = <Level extends { readonly id: string }>(at: Level): Level => ({
    ...at,
    id: at.id || organizationId,
  });
  const command = grantCommand(question, nearMisses[0]?.role ?? 'viewer');
  return {
    ...question,
    allowed,
    role,
    disabled: document.disabled,
    via: via.map(withId),
    nearMisses: nearMisses.map(withId),
    path: document.path.map(withId),
    grant: allowed || document.disabled ? null : commandOf(command),
  };
}

function grantCommand(
  { user, document, organization }: AccessQuestion,
  role: string,
): readonly string[] {
  const quote = (id: string) => (/[",]/.test(id) ? `"${id.replaceAll('"', '""')}"` : id);
  const resource = `type=document,id=${quote(document)},org=${quote(organization)},role=${role}`;
  return ['permissions', 'add', '--user', user, '--resource', resource];
}

interface MembershipQuery {
  readonly apiKey: string;
  /** Time of the service's clock, which decides whether a membership has expired. */
  readonly now: number;
  readonly organizationId: string;
  readonly userId: string;
}

/** Reads the profile, the memberships, and the groups of a user in an organization. */
export function readMembershipsOf(
  store: Store,
  { apiKey, now, organizationId, userId }: MembershipQuery,
) {
  return store.read(async (database) => {
    const scope = { database, apiKey };
    const organization = await findOrganization(scope, organizationId);
    const read = async (kind: StoredKind): Promise<readonly StoredRecord[]> => {
      if (organization === undefined) return [];
      const query = { equals: { userId }, limit: Number.MAX_SAFE_INTEGER };
      const rows = await selectRows(scope, kind, query, organization);
      return rows.map((row) => (kind.toRecord ?? toRecord)(row, now));
    };
    return {
      profile: await read(STORED_KINDS.users),
      memberships: await read(STORED_KINDS.permissions),
      groups: await read(STORED_KINDS['group-members']),
      presence: await read(STORED_KINDS.presence),
    };
  });
}
