import { describe, expect, it } from 'vitest';
import { exportState } from '../../src/service/state/transfer.ts';
import { queryDeclared } from '../../src/settings/live/declared-query.ts';
import { readLive } from '../../src/settings/live/read-live.ts';
import { findExpiredUser, findUnplannable } from '../../src/settings/plan/unplannable.ts';
import type { Declared, DeclaredRecord } from '../../src/settings/settings.ts';
import { type PlannedWorld, startPlannedWorld } from './planned-world.ts';

const acme = { organizationId: 'acme' };
const IN_2100 = 4_102_444_800;
const IN_2020 = 1_577_836_800;
const ORGANIZATION = { type: 'organization', id: 'acme' };
const FOLDER = { type: 'folder', id: 'f' };
const DOCUMENT = { type: 'document', id: 'd' };
const PARENTS = {
  folders: [{ ...acme, folderId: 'f' }],
  documents: [{ ...acme, documentId: 'd' }],
};

const MEMBERSHIPS: readonly (readonly DeclaredRecord[])[] = [
  [{ ...ORGANIZATION, accessRole: 'viewer' }],
  [{ ...FOLDER, accessRole: 'viewer' }],
  [{ ...DOCUMENT, accessRole: 'viewer' }, FOLDER],
  [
    { ...FOLDER, accessRole: 'viewer' },
    { ...ORGANIZATION, accessRole: 'viewer' },
  ],
  [{ ...ORGANIZATION, accessRole: 'viewer', expiresAt: IN_2100 }],
  [{ ...FOLDER, expiresAt: IN_2100 }],
  [
    { ...ORGANIZATION, expiresAt: IN_2100 },
    { ...DOCUMENT, accessRole: 'viewer' },
  ],
];

async function readUser({ service: { store, credentials } }: PlannedWorld) {
  const { users } = await exportState(store, credentials.apiKey);
  return users[0];
}

const describeAccess = (memberships: readonly DeclaredRecord[]) =>
  new Set(
    memberships.map(({ type, accessRole = 'editor', expiresAt = null }) =>
      JSON.stringify([type, accessRole, expiresAt]),
    ),
  );

describe('a planned user', () => {
  it.each(MEMBERSHIPS.map((memberships) => [JSON.stringify(memberships), memberships] as const))(
    'never has more access than %s, whichever request is the last',
    async (_, memberships) => {
      const world = await startPlannedWorld();
      await world.apply(await world.plan(PARENTS));
      const declared = { users: [{ ...acme, userId: 'u', name: 'Ada', memberships }] };
      const { writes, ...plan } = await world.plan(declared);
      const allowed = describeAccess(memberships);
      for (const write of writes) {
        await world.apply({ ...plan, writes: [write] });
        const { memberships: given = [] } = (await readUser(world)) ?? {};
        expect([...describeAccess(given)].filter((access) => !allowed.has(access))).toEqual([]);
      }
      const user = await readUser(world);
      expect(user).toMatchObject({ userId: 'u', name: 'Ada' });
      expect(describeAccess(user?.memberships ?? [])).toEqual(allowed);
    },
  );

  it('has a role of its own in the organization', async () => {
    const world = await startPlannedWorld();
    await world.apply(
      await world.plan({ users: [{ ...acme, userId: 'u', accessRole: 'viewer' }] }),
    );
    expect(world.calls).toEqual(['/v2/users/add']);
    expect((await readUser(world))?.memberships).toEqual([
      { ...ORGANIZATION, accessRole: 'viewer' },
    ]);
  });
});

async function findProblems(declared: Declared, live: Declared = {}) {
  const world = await startPlannedWorld();
  await world.apply(await world.plan(live));
  const { writes } = await world.plan(declared);
  const now = world.service.clock.now();
  const problems = findUnplannable({
    declared,
    writes,
    now,
    live: await readLive(world.client, queryDeclared(declared)),
  });
  return {
    problems: problems.map(({ path, message }) => `${path.join('.')}: ${message}`),
    expiredUser: findExpiredUser(writes, now),
  };
}

const member = (...memberships: readonly DeclaredRecord[]) => ({
  users: [{ ...acme, userId: 'u', memberships }],
});

describe('declared access', () => {
  it.each<readonly [string, Declared, string]>([
    [
      'a restricted new document',
      { documents: [{ ...acme, documentId: 'd', accessType: 'restricted' }] },
      'documents.0.accessType: a new document always has accessType: public',
    ],
    [
      'a disabled new document',
      { documents: [{ ...acme, documentId: 'd', disabled: true }] },
      'documents.0.disabled: a new document always has disabled: false',
    ],
    [
      'a new folder with access of its own but without a type',
      { folders: [{ ...acme, folderId: 'f', inheritAccessFromParent: false }] },
      'folders.0.inheritAccessFromParent: ',
    ],
    [
      'a restricted new folder that inherits public access',
      {
        folders: [
          { ...acme, folderId: 'f', accessType: 'restricted', inheritAccessFromParent: true },
        ],
      },
      'folders.0.accessType: a new folder that inherits its access is public',
    ],
    [
      'a member of a missing folder',
      member(FOLDER),
      "users.0.memberships.0.id: folder 'f' does not exist in acme",
    ],
    [
      'a member of a missing document',
      member(ORGANIZATION, DOCUMENT),
      "users.0.memberships.1.id: document 'd' does not exist in acme",
    ],
    [
      'a member of a folder that only another organization has',
      { ...member(FOLDER), folders: [{ organizationId: 'other', folderId: 'f' }] },
      "users.0.memberships.0.id: folder 'f' does not exist in acme",
    ],
    [
      "a member of another user's organization",
      member({ type: 'organization', id: 'other' }),
      "users.0.memberships.0.id: must be the user's own organization 'acme'",
    ],
    [
      'access that ended',
      member({ ...ORGANIZATION, expiresAt: IN_2020 }),
      'users.0.memberships.0.expiresAt: 2020-01-01T00:00:00.000Z is in the past',
    ],
    [
      'access that ended, in milliseconds',
      member({ ...ORGANIZATION, expiresAt: IN_2020 * 1000 }),
      'users.0.memberships.0.expiresAt: 2020-01-01T00:00:00.000Z is in the past',
    ],
    [
      'a user with an empty list of memberships',
      member(),
      'users.0.memberships: is empty, but the API cannot add a user without access',
    ],
    [
      'members through a document of a missing folder',
      { ...PARENTS, documents: [{ ...acme, documentId: 'd', folderId: 'g' }], ...member(DOCUMENT) },
      "documents.0.folderId: folder 'g' does not exist in acme",
    ],
    [
      'a role beside memberships',
      { users: [{ ...acme, userId: 'u', accessRole: 'viewer', memberships: [ORGANIZATION] }] },
      'users.0.accessRole: ',
    ],
  ])('cannot be given to %s', async (_, declared, problem) => {
    expect((await findProblems(declared)).problems).toEqual([expect.stringContaining(problem)]);
  });

  it('is given to members of declared and of existing resources', async () => {
    const both = member(FOLDER, { ...DOCUMENT, expiresAt: IN_2100 * 1000 });
    expect((await findProblems({ ...PARENTS, ...both })).problems).toEqual([]);
    expect(await findProblems(both, PARENTS)).toEqual({ problems: [], expiredUser: undefined });
  });

  it('is not given once it has ended', async () => {
    const ended = member({ ...ORGANIZATION, expiresAt: IN_2020 });
    expect((await findProblems(ended)).expiredUser).toBe('u');
  });
});
