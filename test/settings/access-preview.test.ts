import fc from 'fast-check';
import { expect, it } from 'vitest';
import { stateSchema } from '../../src/catalog/state.ts';
import { createReader } from '../../src/service/local/reading/reader.ts';
import { createDevelopmentState } from '../../src/service/local/state.ts';
import { importState } from '../../src/service/state/transfer.ts';
import type { Access, AccessPreview, AccessRow } from '../../src/settings/access-preview.ts';
import { createDeclaredSource } from '../../src/settings/plan/access/declared-source.ts';
import { previewAccess } from '../../src/settings/plan/access/preview-access.ts';
import { createStoreSource } from '../../src/settings/plan/access/store-source.ts';
import { buildPlan } from '../../src/settings/plan/build-plan.ts';
import type { Declared } from '../../src/settings/settings.ts';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import { startPlannedWorld } from './planned-world.ts';

const NOW = Date.UTC(2026, 0, 1);
const PAST = Date.UTC(2025, 0, 1) / 1000;
const SOON = Date.UTC(2026, 6, 1) / 1000;
const LATER = Date.UTC(2027, 0, 31) / 1000;
const org = { organizationId: 'acme' };
const ROLES = ['viewer', 'editor'] as const;

interface Folder {
  readonly id: string;
  readonly parent: string;
  /** The folder's own access; undefined if it inherits that of its parent. */
  readonly own: string | undefined;
}

interface Document {
  readonly id: string;
  readonly folder: string;
  readonly access: string;
  readonly disabled: boolean;
}

interface Membership {
  readonly type: 'organization' | 'folder' | 'document';
  readonly id: string;
  readonly accessRole: 'viewer' | 'editor';
  readonly expiresAt?: number;
}

/** The folders, documents, and memberships of an organization, as simple lists. */
interface World {
  readonly folders: readonly Folder[];
  readonly documents: readonly Document[];
  readonly users: Readonly<Record<string, readonly Membership[]>>;
}

/** Declarations of a settings file: new and moved folders, new documents, and users. */
interface Declaration {
  readonly folders: readonly (Folder & { readonly name?: string })[];
  readonly documents: readonly { readonly id: string; readonly folder: string }[];
  readonly users: World['users'];
}

const FOLDERS = ['a', 'b', 'c', 'd', 'e'];
const NEW_FOLDERS = ['x', 'y'];
const DOCUMENTS = ['1', '2', '3', '4'];
const USERS = ['ada', 'bo', 'cy'];

/** Folders in a random tree: each is in one that precedes it in a random order. */
const trees = (ids: readonly string[]) =>
  fc
    .tuple(
      fc.shuffledSubarray([...ids], { minLength: ids.length }),
      fc.array(fc.nat(), { minLength: ids.length, maxLength: ids.length }),
    )
    .map(([order, picks]) =>
      order.map((id, at) => ({
        id,
        parent: ['root', ...order.slice(0, at)][(picks[at] ?? 0) % (at + 1)] ?? 'root',
      })),
    );
const owns = fc.constantFrom(undefined, 'public', 'restricted');
const times = (ends: readonly number[]) => fc.option(fc.constantFrom(...ends), { nil: undefined });
const memberships = (ends: readonly number[]) =>
  fc.uniqueArray(
    fc.record({
      at: fc.constantFrom<readonly [Membership['type'], string]>(
        ['organization', 'acme'],
        ...FOLDERS.map((id) => ['folder', id] as const),
        ...DOCUMENTS.map((id) => ['document', id] as const),
      ),
      accessRole: fc.constantFrom(...ROLES),
      expiresAt: times(ends),
    }),
    { maxLength: 4, selector: ({ at }) => at.join('/') },
  );
const users = (ends: readonly number[]) =>
  fc
    .tuple(fc.subarray(USERS), fc.array(memberships(ends), { minLength: 3, maxLength: 3 }))
    .map(([ids, lists]) =>
      Object.fromEntries(
        ids.map((id, user) => [
          id,
          (lists[user] ?? []).map(({ at: [type, resource], accessRole, expiresAt }) => ({
            type,
            id: resource,
            accessRole,
            ...(expiresAt !== undefined && { expiresAt }),
          })),
        ]),
      ),
    );

const worlds = fc
  .record({
    tree: trees(FOLDERS),
    owns: fc.array(owns, { minLength: 5, maxLength: 5 }),
    documents: fc.array(
      fc.record({
        folder: fc.constantFrom('root', ...FOLDERS),
        access: fc.constantFrom('public', 'public', 'restricted', 'organizationPrivate'),
        disabled: fc.constantFrom(false, false, false, true),
      }),
      { minLength: 4, maxLength: 4 },
    ),
    users: users([PAST, SOON, LATER]),
  })
  .map(({ tree, owns: own, documents, users: members }): World => {
    return {
      folders: tree.map((folder, at) => ({ ...folder, own: own[at] })),
      documents: documents.map((document, at) => ({ id: String(at + 1), ...document })),
      users: members,
    };
  });

const declarations = fc
  .record({
    tree: trees([...FOLDERS, ...NEW_FOLDERS]),
    moved: fc.subarray(FOLDERS),
    renamed: fc.subarray(FOLDERS),
    created: fc.boolean(),
    owns: fc.tuple(owns, owns),
    folder: fc.constantFrom('root', ...FOLDERS),
    users: users([SOON, LATER]),
  })
  .map(({ tree, moved, renamed, created, owns: own, folder, users: members }) => {
    // All folders move to the new tree, or none: together, parts of two trees can be a cycle.
    const folders = moved.length > 1 ? tree : tree.filter(({ id }) => NEW_FOLDERS.includes(id));
    return { folders, renamed, created, own, folder, members };
  });

type RandomDeclaration = typeof declarations extends fc.Arbitrary<infer Value> ? Value : never;

function declare(world: World, random: RandomDeclaration): Declaration {
  const { folders, renamed, created, own, folder, members } = random;
  const existing = new Map(world.folders.map((each) => [each.id, each]));
  const isThere = (id: string) => existing.has(id) || created;
  return {
    folders: folders
      .filter(({ id }) => isThere(id))
      .map(({ id, parent }) => ({
        id,
        parent: isThere(parent) ? parent : 'root',
        own: existing.has(id) ? existing.get(id)?.own : own[NEW_FOLDERS.indexOf(id)],
        ...(renamed.includes(id) && { name: `${id} renamed` }),
      })),
    documents: [{ id: 'new', folder }],
    users: members,
  };
}

/** The access of a user, by walking up from a resource. */
function listGranting(world: World, user: string, type: string, id: string): readonly Membership[] {
  const found: Membership[] = [];
  const take = (level: string, at: string) => {
    for (const each of world.users[user] ?? [])
      if (each.type === level && each.id === at) found.push(each);
  };
  let folder = type === 'folder' ? id : 'root';
  if (type === 'document') {
    const document = world.documents.find((each) => each.id === id);
    if (!document || document.disabled) return [];
    take('document', id);
    if (document.access === 'restricted') return found;
    folder = document.folder;
  }
  while (folder !== 'root') {
    take('folder', folder);
    const current = world.folders.find((each) => each.id === folder);
    if (current?.own === 'restricted') return found;
    folder = current?.parent ?? 'root';
  }
  take('organization', 'acme');
  return found;
}

/** Describes access by asking for the role after each time at which it may change. */
function describeNaively(granting: readonly Membership[]): string {
  const roleAt = (time: number) =>
    ROLES.findLast((role) =>
      granting.some(
        ({ accessRole, expiresAt = Number.POSITIVE_INFINITY }) =>
          accessRole === role && expiresAt > time,
      ),
    ) ?? 'none';
  const roles = [NOW / 1000, SOON, LATER].map((time) => [time, roleAt(time)] as const);
  const changes = roles.filter(([, role], at) => at === 0 || role !== roles[at - 1]?.[1]);
  return changes.map(([time, role], at) => (at === 0 ? role : `${time}:${role}`)).join(' ');
}

/** All rows of two full matrices, users by resources, that differ. */
function compareNaively(before: World, after: World): ReadonlyMap<string, string> {
  const resources = [
    ['organization', 'acme'],
    ...before.folders.map(({ id }) => ['folder', id]),
    ...before.documents.map(({ id }) => ['document', id]),
  ] as const;
  const rows = new Map<string, string>();
  for (const user of new Set([...Object.keys(before.users), ...Object.keys(after.users)])) {
    for (const [type = '', id = ''] of resources) {
      const [left, right] = [before, after].map((world) =>
        describeNaively(listGranting(world, user, type, id)),
      );
      if (left !== right) rows.set(`${user} ${type} ${id}`, `${left} -> ${right}`);
    }
  }
  return rows;
}

function applyNaively(world: World, declared: Declaration): World {
  const folders = new Map(world.folders.map((folder) => [folder.id, folder]));
  for (const folder of declared.folders) folders.set(folder.id, folder);
  const members: Record<string, readonly Membership[]> = { ...world.users };
  for (const [user, list] of Object.entries(declared.users)) {
    const own = list.length > 0 ? list : [ORGANIZATION_MEMBER];
    const isReplaced = (one: Membership) => own.some((each) => isSameLevel(each, one));
    members[user] = [...(world.users[user] ?? []).filter((each) => !isReplaced(each)), ...own];
  }
  return { ...world, folders: [...folders.values()], users: members };
}

const ORGANIZATION_MEMBER: Membership = {
  type: 'organization',
  id: 'acme',
  accessRole: 'viewer',
};

function isSameLevel(left: Membership, right: Membership): boolean {
  return left.type === right.type && left.id === right.id;
}

function toFolder({ id, parent, own }: Folder) {
  return {
    ...org,
    folderId: id,
    parentFolderId: parent,
    accessType: own ?? 'public',
    inheritAccessFromParent: own === undefined,
  };
}

function toSettings(declared: Declaration): Declared {
  return {
    folders: declared.folders.map(({ own, name, ...folder }) => {
      const {
        inheritAccessFromParent: _inherits,
        accessType,
        ...fields
      } = toFolder({
        ...folder,
        own,
      });
      return {
        ...fields,
        ...(own !== undefined && { accessType }),
        ...(name !== undefined && { folderName: name }),
      };
    }),
    documents: declared.documents.map(({ id, folder }) => ({
      ...org,
      documentId: id,
      folderId: folder,
    })),
    users: Object.entries(declared.users).map(([userId, list]) => ({
      ...org,
      userId,
      ...(list.length > 0 ? { memberships: list } : { accessRole: 'viewer' }),
    })),
  };
}

function toRecords(world: World) {
  return {
    documents: world.documents.map(({ id, folder, access, disabled }) => ({
      ...org,
      documentId: id,
      folderId: folder,
      accessType: access,
      disabled,
    })),
    users: Object.entries(world.users).map(([userId, list]) => ({
      ...org,
      userId,
      memberships: [...list],
    })),
  };
}

async function previewWorld(world: World, declared: Declaration): Promise<AccessPreview> {
  const live = {
    configs: new Map(),
    folders: new Map([
      ['acme', { records: new Map(world.folders.map((each) => [each.id, toFolder(each)])) }],
    ]),
    documents: new Map([['acme', { records: new Map() }]]),
    agents: { records: new Map() },
    reads: 0,
  };
  const plan = buildPlan({
    declared: toSettings(declared),
    query: { configs: [], endpoints: false, folders: ['acme'], documents: [], agents: [] },
    live,
    target: { url: 'http://localhost', apiKey: 'key' },
    isSent: () => false,
  });
  const none = new Map();
  const source = createDeclaredSource({
    live,
    snapshot: {
      time: 0,
      organizations: [org],
      folders: [],
      ...toRecords(world),
    },
    sent: none,
    unsent: none,
    findRemembered: () => undefined,
    readDocuments: async () => [],
  });
  return previewAccess({ writes: plan.writes, now: NOW }, source);
}

function describe(access: Access | null): string {
  if (!access) return 'none';
  const { role, expiresAt, afterward } = access;
  if (expiresAt === null) return role;
  return `${role} ${Date.parse(expiresAt) / 1000}:${describe(afterward ?? null)}`;
}

async function expectSame(world: World, declared: Declaration): Promise<void> {
  const after = applyNaively(world, declared);
  const expected = compareNaively(world, after);
  const { rows, counts, total, unknown } = await previewWorld(world, declared);
  const found = rows.map(
    ({ user, resource: { type, id }, ...row }) =>
      [`${user} ${type} ${id}`, `${describe(row.before)} -> ${describe(row.after)}`] as const,
  );
  const people = (matches: (text: string) => boolean) =>
    new Set([...expected].flatMap(([key, text]) => (matches(text) ? [key.split(' ')[0]] : [])))
      .size;
  const isGain = (text: string) => text.startsWith('none ->');
  const isLoss = (text: string) => text.endsWith('-> none');
  const isThrough = ({ user, resource, through, ...row }: AccessRow) => {
    const granting = listGranting(row.after ? after : world, user, resource.type, resource.id);
    const membership = granting.find(({ type, id }) => type === through.type && id === through.id);
    return membership?.accessRole === (row.after ?? row.before)?.role;
  };
  expect({
    rows: Object.fromEntries(found),
    listed: found.length,
    total,
    unknown,
    counts,
    unexplained: rows.filter((row) => !isThrough(row)),
  }).toEqual({
    rows: Object.fromEntries(expected),
    listed: expected.size,
    total: expected.size,
    unknown: { documents: 0, people: 0 },
    counts: {
      gain: people(isGain),
      lose: people(isLoss),
      change: people((text) => !isGain(text) && !isLoss(text)),
    },
    unexplained: [],
  });
}

const property = fc.asyncProperty(worlds, declarations, async (world, random) => {
  await expectSame(world, declare(world, random));
});

it('equals the difference of two full matrices', async () => {
  await fc.assert(property, { numRuns: repeats(150) });
});

it('equals the difference of two full matrices in 10,000 worlds', SLOW, async () => {
  await fc.assert(property, { numRuns: repeats(10_000) });
});

it('equals what the service explains before and after the plan', SLOW, async () => {
  await fc.assert(
    fc.asyncProperty(worlds, declarations, async (world, random) => {
      const planned = await startPlannedWorld();
      const { store, credentials, clock } = planned.service;
      const { apiKey } = credentials;
      clock.time = NOW;
      const folders = world.folders.map(({ own, ...folder }) => {
        const { inheritAccessFromParent, accessType, ...fields } = toFolder({ ...folder, own });
        return { ...fields, ...(own !== undefined && { accessType, inheritAccessFromParent }) };
      });
      const state = stateSchema.parse({ organizations: [org], folders, ...toRecords(world) });
      const scope = { store, apiKey, now: NOW, dryRun: false };
      expect(await importState(scope, state)).toEqual([]);
      const reader = createReader({
        store,
        apiKey,
        development: createDevelopmentState(store),
        realClock: clock,
        commandOf: (words) => words.join(' '),
      });
      const explainAll = async () => {
        const roles: Record<string, string | null> = {};
        for (const user of USERS) {
          for (const document of DOCUMENTS) {
            const question = { user, document, organization: 'acme' };
            const { role } = await reader.explain(question).catch(() => ({ role: null }));
            roles[`${user} ${document}`] = role;
          }
        }
        return roles;
      };
      const plan = await planned.plan(toSettings(declare(world, random)));
      const { rows } = await store.read((database) =>
        previewAccess({ writes: plan.writes, now: NOW }, createStoreSource(database, apiKey)),
      );
      const before = await explainAll();
      await planned.apply(plan);
      const expected = { ...before };
      for (const { user, resource, before: earlier, after } of rows) {
        if (resource.type !== 'document') continue;
        const key = `${user} ${resource.id}`;
        expect([key, earlier?.role ?? null]).toEqual([key, before[key]]);
        expected[key] = after?.role ?? null;
      }
      expect(await explainAll()).toEqual(expected);
    }),
    { numRuns: repeats(20) },
  );
});
