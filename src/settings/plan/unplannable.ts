import { ROLE_AND_MEMBERSHIPS } from '../../catalog/access-roles.ts';
import type { InputProblem } from '../../catalog/define.ts';
import { toEpochSeconds } from '../../kernel/timestamp.ts';
import { isUnset } from '../differ.ts';
import type { LiveRecords } from '../live-records.ts';
import type { PlannedWrite } from '../plan.ts';
import type { Declared, DeclaredRecord } from '../settings.ts';
import type { Membership } from './sent.ts';

interface Declaration {
  readonly declared: Declared;
  readonly live: LiveRecords;
  readonly writes: readonly PlannedWrite[];
  /** Current time in Unix milliseconds. */
  readonly now: number;
}

/**
 * Finds declared access that the writes of a plan would not give: fields that the API does not
 * accept for new records, members of folders and documents that do not exist, documents of missing
 * folders, users without access, and expired grants.
 * What cannot be read is not checked.
 */
export function findUnplannable(declaration: Declaration): readonly InputProblem[] {
  return [
    ...findUncreatableFolders(declaration),
    ...findUncreatableDocuments(declaration),
    ...findMissingResources(declaration),
    ...findExpiredGrants(declaration),
  ];
}

const PUBLIC = 'public';

function* findUncreatableFolders({ declared, live }: Declaration): Generator<InputProblem> {
  const { folders = [] } = declared;
  const key = (org: unknown, id: unknown) => JSON.stringify([org, id]);
  const byId = new Map(
    folders.map((folder) => [key(folder['organizationId'], folder['folderId']), folder]),
  );
  const accessOf = (org: string, id: unknown): unknown => {
    const visited = new Set<unknown>();
    for (let at = id; at !== undefined && at !== 'root' && !visited.has(at); ) {
      visited.add(at);
      const existing = live.folders.get(org)?.records?.get(String(at));
      if (existing) return existing['accessType'] ?? PUBLIC;
      const folder = byId.get(key(org, at));
      const inherits = folder?.['inheritAccessFromParent'] === true;
      if (!inherits && !isUnset(folder?.['accessType'])) return folder?.['accessType'];
      at = folder?.['parentFolderId'];
    }
    return PUBLIC;
  };
  for (const [index, folder] of folders.entries()) {
    const org = String(folder['organizationId']);
    const { records } = live.folders.get(org) ?? {};
    if (!records || records.has(String(folder['folderId']))) continue;
    const { accessType, inheritAccessFromParent: inherits } = folder;
    const path = (field: string) => ['folders', index, field];
    if (inherits === false && isUnset(accessType))
      yield {
        path: path('inheritAccessFromParent'),
        message: 'a new folder has its own access only with an accessType; declare it too',
      };
    const inherited = inherits === true ? accessOf(org, folder['parentFolderId']) : accessType;
    if (!isUnset(accessType) && accessType !== inherited)
      yield {
        path: path('accessType'),
        message: `a new folder that inherits its access is ${inherited}; declare inheritAccessFromParent: false`,
      };
  }
}

/** Fields of a document that the API does not accept, with their value in a new document. */
const NEW_DOCUMENT = { accessType: PUBLIC, disabled: false } as const;
const ALTERNATIVES = {
  accessType: 'declare it in a folder with accessType: restricted instead',
  disabled: 'the API cannot disable a document; remove the field',
} as const;

function* findUncreatableDocuments({ declared, live }: Declaration): Generator<InputProblem> {
  for (const [index, record] of (declared.documents ?? []).entries()) {
    const { records } = live.documents.get(String(record['organizationId'])) ?? {};
    if (!records || records.has(String(record['documentId']))) continue;
    for (const field of ['accessType', 'disabled'] as const) {
      const value = record[field];
      if (isUnset(value) || value === NEW_DOCUMENT[field]) continue;
      yield {
        path: ['documents', index, field],
        message: `a new document always has ${field}: ${NEW_DOCUMENT[field]}, not ${value}; ${ALTERNATIVES[field]}`,
      };
    }
  }
}

function* findMissingResources({ declared, live }: Declaration): Generator<InputProblem> {
  const isDeclared = createDeclaredCheck(declared);
  const isMissing = (type: 'folder' | 'document', org: string, id: string) => {
    const { records } = live[`${type}s`].get(org) ?? {};
    return records && !records.has(id) && !isDeclared(type, org, id);
  };
  for (const [index, { organizationId, folderId }] of (declared.documents ?? []).entries()) {
    const [org, id] = [String(organizationId), String(folderId)];
    if (folderId !== undefined && id !== 'root' && isMissing('folder', org, id))
      yield { path: ['documents', index, 'folderId'], message: describeMissing('folder', org, id) };
  }
  for (const [user, record] of usersOf(declared)) {
    const org = String(record['organizationId']);
    const { accessRole, memberships } = record;
    if (accessRole !== undefined && declaresMemberships(record))
      yield { path: ['users', user, 'accessRole'], message: ROLE_AND_MEMBERSHIPS };
    if (accessRole === undefined && memberships !== undefined && !declaresMemberships(record))
      yield {
        path: ['users', user, 'memberships'],
        message: 'is empty, but the API cannot add a user without access; declare a membership',
      };
    for (const [at, { type, id }] of membershipsOf(record).entries()) {
      const path = ['users', user, 'memberships', at, 'id'];
      if (type === 'organization') {
        if (id !== org)
          yield { path, message: `must be the user's own organization '${org}', got '${id}'` };
        continue;
      }
      if (isMissing(type, org, id)) yield { path, message: describeMissing(type, org, id) };
    }
  }
}

function describeMissing(type: 'folder' | 'document', org: string, id: string): string {
  return `${type} '${id}' does not exist in ${org} and is not declared; declare it under ${type}s, or correct the ID`;
}

function createDeclaredCheck({ folders = [], documents = [] }: Declared) {
  const key = (type: string, org: unknown, id: unknown) => JSON.stringify([type, org, id]);
  const declared = new Set([
    ...folders.map(({ organizationId: org, folderId: id }) => key('folder', org, id)),
    ...documents.map(({ organizationId: org, documentId: id }) => key('document', org, id)),
  ]);
  return (type: string, org: string, id: string) => declared.has(key(type, org, id));
}

/** Finds grants to send whose time has passed. Those that were sent before have ended by now. */
function* findExpiredGrants({ declared, writes, now }: Declaration): Generator<InputProblem> {
  const expired = new Set(findExpired(writes, now).map(({ user }) => user.userId));
  if (expired.size === 0) return;
  for (const [user, record] of usersOf(declared)) {
    if (!expired.has(String(record['userId']))) continue;
    for (const [at, { expiresAt }] of membershipsOf(record).entries()) {
      if (expiresAt === undefined) continue;
      const end = toEpochSeconds(expiresAt) * 1000;
      if (end > now) continue;
      yield {
        path: ['users', user, 'memberships', at, 'expiresAt'],
        message: `${new Date(end).toISOString()} is in the past; remove the membership, or declare a later time in Unix seconds`,
      };
    }
  }
}

/** Returns the first user to whom a plan would grant access that has ended. */
export function findExpiredUser(writes: readonly PlannedWrite[], now: number): string | undefined {
  return findExpired(writes, now)[0]?.user.userId;
}

interface Grant {
  readonly user: { readonly userId: string };
  readonly permissions: { readonly resources: readonly Membership[] };
}

function findExpired(writes: readonly PlannedWrite[], now: number): readonly Grant[] {
  const isExpired = ({ expiresAt }: Membership) =>
    expiresAt !== undefined && expiresAt * 1000 <= now;
  return writes
    .filter(({ operation }) => operation === 'permissions.add')
    .flatMap(({ items }) => items.map(({ data }) => Object(data) as Grant))
    .filter(({ permissions }) => permissions.resources.some(isExpired));
}

/** Finds times in milliseconds, which svc converts to seconds. */
export function findMilliseconds(users: readonly DeclaredRecord[]): readonly InputProblem[] {
  return users.flatMap((record, user) =>
    membershipsOf(record).flatMap(({ expiresAt }, at) =>
      expiresAt === undefined || toEpochSeconds(expiresAt) === expiresAt
        ? []
        : [
            {
              path: ['users', user, 'memberships', at, 'expiresAt'],
              message: `${expiresAt} is in milliseconds; used as ${toEpochSeconds(expiresAt)} seconds`,
            },
          ],
    ),
  );
}

function usersOf({ users = [] }: Declared): readonly (readonly [number, DeclaredRecord])[] {
  return 'from' in users ? [] : [...users.entries()];
}

function declaresMemberships(record: DeclaredRecord): boolean {
  return membershipsOf(record).length > 0;
}

function membershipsOf({ memberships }: DeclaredRecord): readonly Membership[] {
  return (memberships ?? []) as readonly Membership[];
}
