import { DEFAULT_ACCESS_ROLE } from '../../../catalog/access-roles.ts';
import type { AccessMembership } from '../../../catalog/local/access.ts';
import type { State } from '../../../catalog/state.ts';
import { toEpochSeconds, toExpiry } from '../../../kernel/timestamp.ts';
import type { SentMemberships } from '../../ledger.ts';
import type { LiveRecord, LiveRecords } from '../../live-records.ts';
import {
  addGrants,
  createMemberships,
  type GrantsByUser,
  type Memberships,
  NO_MEMBERSHIPS,
} from '../../memberships.ts';
import { toTreeFolder } from './folder-tree.ts';
import type { AccessSource, KnownDocument } from './organization-places.ts';

/** The members of organizations at a time. */
export interface MembersSnapshot
  extends Pick<State, 'organizations' | 'folders' | 'documents' | 'users'> {
  /** Time in Unix milliseconds. */
  readonly time: number;
}

/** Knowledge of a service that cannot return the members of organizations. */
export interface DeclaredKnowledge {
  readonly live: LiveRecords;
  readonly snapshot: MembersSnapshot | undefined;
  /** Grants of declared users that were sent before. */
  readonly sent: GrantsByUser;
  /** Grants of declared users that the plan sends. */
  readonly unsent: GrantsByUser;
  readonly findRemembered: (organizationId: string, userId: string) => SentMemberships | undefined;
  readonly readDocuments: (
    organizationId: string,
    folderId: string,
  ) => Promise<readonly LiveRecord[]>;
}

/** Creates a source for a service whose members cannot be read. */
export function createDeclaredSource(knowledge: DeclaredKnowledge): AccessSource {
  const { live, snapshot, readDocuments } = knowledge;
  const records =
    snapshot &&
    [snapshot.organizations, snapshot.users, snapshot.documents, snapshot.folders].flat();
  const complete = new Set(records?.map(({ organizationId }) => organizationId));
  const documents = Map.groupBy(snapshot?.documents ?? [], ({ organizationId }) => organizationId);
  const users = Map.groupBy(snapshot?.users ?? [], ({ organizationId }) => organizationId);
  const folders = Map.groupBy(snapshot?.folders ?? [], ({ organizationId }) => organizationId);
  const findDocuments = (organizationId: string) =>
    new Map((documents.get(organizationId) ?? []).map((each) => [each.documentId, each]));
  return {
    isComplete: (organizationId) => complete.has(organizationId),

    readContent: async (organizationId) => {
      const liveFolders = live.folders.get(organizationId)?.records?.values();
      const tree = Array.from(liveFolders ?? folders.get(organizationId) ?? [], toTreeFolder);
      const found = new Map<string, KnownDocument>();
      const earlier = findDocuments(organizationId);
      for (const [documentId, { folderId, ...document }] of earlier)
        found.set(
          documentId,
          toDocument(documentId, { ...document, folderId: folderId ?? 'root' }),
        );
      for (const [documentId, record] of live.documents.get(organizationId)?.records ?? []) {
        const isIncomplete = complete.has(organizationId) && !earlier.has(documentId);
        const folderId = record['folderId'] ?? found.get(documentId)?.folderId;
        const document = toDocument(documentId, { ...record, folderId });
        found.set(documentId, { ...document, isIncomplete });
      }
      return {
        organizationId,
        folders: new Map(tree.map((each) => [each.folderId, each])),
        documents: found.values(),
      };
    },

    readMembers: async (organizationId, isWanted) => {
      const members = new Map<string, Memberships>();
      for (const user of users.get(organizationId) ?? [])
        members.set(user.userId, createMemberships(listMemberships(user)));
      const nobody = complete.has(organizationId) ? NO_MEMBERSHIPS : undefined;
      for (const userId of listDeclared(knowledge, organizationId)) {
        const inSnapshot = members.get(userId) ?? nobody;
        const known = findDeclaredMember(knowledge, organizationId, userId, inSnapshot);
        if (known) members.set(userId, known);
      }
      const wanted = Array.from(members, ([userId, own]) => {
        const kept = [...own.values()].filter((each) => isWanted(userId, each));
        return [userId, kept.length === own.size ? own : createMemberships(kept)] as const;
      });
      return new Map(wanted);
    },

    listUnknown: async (organizationId, folderIds) => {
      const isComplete = complete.has(organizationId);
      const known = isComplete ? findDocuments(organizationId) : undefined;
      const found = await Promise.all(
        folderIds.map(async (folderId) => {
          const listed = await readDocuments(organizationId, folderId);
          return listed.map(({ id }) => String(id)).filter((id) => !known?.has(id));
        }),
      );
      return found.flat();
    },
  };
}

function toDocument(documentId: string, record: LiveRecord): KnownDocument {
  const { folderId, accessType, disabled } = record;
  return {
    documentId,
    folderId: folderId === undefined ? undefined : String(folderId),
    accessType: String(accessType ?? 'public'),
    disabled: disabled === true,
  };
}

/** Returns the memberships of a user in a state. A user without any is a member of the organization. */
function listMemberships(user: State['users'][number]): readonly AccessMembership[] {
  const { organizationId, accessRole, memberships } = user;
  const list = memberships ?? [{ type: 'organization', id: organizationId, accessRole } as const];
  return list.map(({ type: level, id, accessRole: role = DEFAULT_ACCESS_ROLE, ...rest }) => {
    const { expiresAt } = { expiresAt: undefined, ...rest };
    return {
      level,
      id: level === 'organization' ? '' : id,
      role,
      expiresAt: expiresAt === undefined ? null : toExpiry(toEpochSeconds(expiresAt)),
    };
  });
}

function listDeclared({ sent, unsent }: DeclaredKnowledge, org: string): ReadonlySet<string> {
  return new Set([...(sent.get(org)?.keys() ?? []), ...(unsent.get(org)?.keys() ?? [])]);
}

/**
 * Returns what is known of a declared user: memberships that svc sent, or that the snapshot has.
 * Undefined if the user may be a
 * member already.
 */
function findDeclaredMember(
  { snapshot, sent, unsent, findRemembered }: DeclaredKnowledge,
  organizationId: string,
  userId: string,
  inSnapshot: Memberships | undefined,
): Memberships | undefined {
  const remembered = findRemembered(organizationId, userId);
  const earlier = sent.get(organizationId)?.get(userId) ?? [];
  if (inSnapshot) {
    if (!remembered) return addGrants(inSnapshot, earlier);
    const isNewer = remembered.time > (snapshot?.time ?? 0);
    return isNewer ? new Map([...inSnapshot, ...remembered.memberships]) : inSnapshot;
  }
  if (remembered) return remembered.memberships;
  const isAllSent = earlier.length > 0 && !unsent.get(organizationId)?.has(userId);
  return isAllSent ? addGrants(NO_MEMBERSHIPS, earlier) : undefined;
}
