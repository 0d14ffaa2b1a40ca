import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredKindName } from '../../../src/catalog/local/stored-kinds.ts';
import { STORED_KINDS } from '../../../src/service/local/reading/kinds.ts';
import { createReader, explainAccess } from '../../../src/service/local/reading/reader.ts';
import { createDevelopmentState } from '../../../src/service/local/state.ts';
import { createFolder, type Folder, ROOT } from '../../../src/service/records/folder.ts';
import { saveFolders } from '../../../src/service/records/folders.ts';
import { insertOrganizations } from '../../../src/service/records/organizations.ts';
import { findRecipients } from '../../../src/service/records/recipients.ts';
import { ensureUser } from '../../../src/service/records/users.ts';
import { prepareInsert } from '../../../src/service/store/statements.ts';
import type { Database } from '../../../src/service/store/store.ts';
import { repeats } from '../../repeats.ts';
import { SLOW } from '../../slow.ts';
import { isPostgres } from '../store-location.ts';
import { startTestService } from '../test-service.ts';

const NOW = 1_700_000_000_000;

interface Membership {
  readonly accessRole: string | null;
  readonly expiresAt: number | null;
}

const MEMBERSHIPS: readonly Membership[] = [null, 'viewer', 'editor'].flatMap((accessRole) =>
  [null, NOW - 1, NOW, NOW + 1].map((expiresAt) => ({ accessRole, expiresAt })),
);

/** About every second level has the user as a member. */
const membership = fc.constantFrom(...MEMBERSHIPS, ...MEMBERSHIPS.map(() => undefined));

/** Folders refer to earlier ones. A folder without access of its own inherits its parent's. */
const worlds = fc.record({
  folders: fc.array(
    fc.record({
      parent: fc.nat(5),
      own: fc.constantFrom('public', 'restricted', 'organizationPrivate', undefined),
    }),
    { maxLength: 5 },
  ),
  document: fc.record({
    folder: fc.nat(5),
    accessType: fc.constantFrom('public', 'public', 'restricted'),
    disabled: fc.integer({ min: 0, max: 9 }).map((n) => (n === 0 ? 1 : 0)),
  }),
  onOrganization: membership,
  onFolders: fc.tuple(membership, membership, membership, membership, membership),
  onDocument: membership,
  onOtherDocument: membership,
});

type World = typeof worlds extends fc.Arbitrary<infer Value> ? Value : never;

/** The parent of a folder, or of the document; undefined at the top level. */
const parentIndex = (given: number, count: number) => (given < count ? given : undefined);

/**
 * The rule in words: walk up from the document; the first own restriction is the last level that
 * admits its members.
 */
function expectedRole({
  folders,
  document,
  onOrganization,
  onFolders,
  onDocument,
}: World): string | null {
  const levels: { member: Membership | undefined; stops: boolean }[] = [
    { member: onDocument, stops: document.accessType === 'restricted' },
  ];
  for (let at = parentIndex(document.folder, folders.length); at !== undefined; ) {
    const folder = folders[at];
    levels.push({ member: onFolders[at], stops: folder?.own === 'restricted' });
    at = parentIndex(folder?.parent ?? 0, at);
  }
  levels.push({ member: onOrganization, stops: true });
  const open = levels.slice(0, levels.findIndex(({ stops }) => stops) + 1);
  const roles = open.flatMap(({ member }) =>
    member && (member.expiresAt === null || member.expiresAt > NOW)
      ? [member.accessRole ?? 'editor']
      : [],
  );
  if (document.disabled === 1 || roles.length === 0) return null;
  return roles.includes('editor') ? 'editor' : 'viewer';
}

const insertDocuments = prepareInsert('documents');
const insertMembers = prepareInsert('members');

async function createWorld(
  database: Database,
  apiKey: string,
  organizationId: string,
  world: World,
): Promise<number> {
  const [created] = await insertOrganizations(database, [
    { apiKey, organizationId, createdAt: NOW },
  ]);
  const organization = created?.key ?? 0;
  const folders: Folder[] = [];
  for (const [at, { parent, own }] of world.folders.entries()) {
    folders.push(
      createFolder(
        { folderId: `f${at}`, accessType: own },
        folders[parentIndex(parent, at) ?? -1] ?? ROOT,
        NOW,
      ),
    );
  }
  await saveFolders(database, organization, folders);
  const { folder, ...settings } = world.document;
  const folderId = folders[folder]?.folderId ?? null;
  const document = {
    organization,
    documentId: 'd',
    id: '1',
    folderId,
    createdAt: NOW,
    ...settings,
  };
  await insertDocuments(database, [
    document,
    { ...document, documentId: 'other', disabled: 0, accessType: 'public' },
  ]);
  await ensureUser(database, { organization, userId: 'u' });
  const targets = [
    ['organization', '', world.onOrganization],
    ['document', 'd', world.onDocument],
    ['document', 'other', world.onOtherDocument],
    ...folders.map(({ folderId: id }, at) => ['folder', id, world.onFolders[at]] as const),
  ] as const;
  const rows = targets.flatMap(([level, resourceId, member]) =>
    member ? [{ organization, level, resourceId, userId: 'u', addedAt: NOW, ...member }] : [],
  );
  if (rows.length > 0) await insertMembers(database, rows);
  return organization;
}

const notification = {
  actionUser: { userId: 'x' },
  notifyUsers: [{ userId: 'u' }],
  notifyAll: false,
  verifyUserPermissions: true,
  displayHeadlineMessageTemplate: 'x',
  displayBodyMessage: 'x',
};

/** The answer of the service's own check, which selects the recipients of a notification. */
async function canBeNotified(
  database: Database,
  apiKey: string,
  organizationId: string,
  organization: number,
) {
  const call = { database, apiKey, now: NOW, after: () => undefined };
  const found: string[] = [];
  for await (const users of findRecipients(call, organization, {
    ...notification,
    organizationId,
    documentId: 'd',
  })) {
    found.push(...users);
  }
  return found.includes('u');
}

describe('the access explainer', () => {
  it(
    'agrees with the permission check of the service, and with the documented rule, in generated worlds',
    SLOW,
    async () => {
      const { store, credentials } = await startTestService();
      const { apiKey } = credentials;
      let count = 0;
      const seen = new Set<string>();
      await store.write((database) =>
        fc.assert(
          fc.asyncProperty(worlds, async (world) => {
            const organizationId = `org-${count++}`;
            const organization = await createWorld(database, apiKey, organizationId, world);
            const question = { user: 'u', document: 'd', organization: organizationId };
            const explained = await explainAccess(
              { database, apiKey, now: NOW },
              question,
              (words) => words.join(' '),
            );
            const role = expectedRole(world);
            const { allowed, disabled, via, grant } = explained;
            const notified = await canBeNotified(database, apiKey, organizationId, organization);
            const answers = [
              explained.role,
              allowed,
              notified,
              via.length > 0,
              disabled,
              grant === null,
            ];
            const [may, isDisabled] = [role !== null, world.document.disabled === 1];
            expect(answers).toEqual([role, may, may, may, isDisabled, may || isDisabled]);
            for (const { reason } of explained.nearMisses) seen.add(reason);
            seen.add(String(role));
          }),
          { numRuns: repeats(isPostgres ? 150 : 1_000) },
        ),
      );
      expect(seen).toEqual(
        new Set(['restricted', 'expired', 'disabled', 'null', 'viewer', 'editor']),
      );
    },
  );
});

describe('the reader', () => {
  it('lists records of each kind, and shows records of each kind, on every database', async () => {
    const { store, credentials, clock, call } = await startTestService();
    const { apiKey } = credentials;
    const organizationId = 'acme';
    await call('/v1/users/add', {
      organizationId,
      users: [{ userId: '50%_off', name: 'Ada' }, { userId: '50xxoff' }],
    });
    await call('/v1/organizations/documents/add', {
      organizationId,
      documents: [{ documentId: 'd1', documentName: 'Plan' }],
    });
    await call('/v2/presence/add', {
      organizationId,
      documentId: 'd1',
      users: [{ userId: '50xxoff' }],
    });
    const development = createDevelopmentState(store);
    const reader = createReader({
      store,
      apiKey,
      development,
      realClock: clock,
      commandOf: (words) => words.join(' '),
    });
    const kinds = Object.keys(STORED_KINDS) as StoredKindName[];
    const counts = await Promise.all(
      kinds.map(async (kind) => (await reader.list(kind, {})).records.length),
    );
    expect(Object.fromEntries(kinds.map((kind, at) => [kind, counts[at]]))).toMatchObject({
      organizations: 1,
      users: 2,
      members: 2,
      permissions: 2,
      documents: 1,
      presence: 1,
      tokens: 1,
      agents: 0,
    });
    expect((await reader.list('users', { match: '50%_OFF' })).records).toMatchObject([
      { userId: '50%_off' },
    ]);
    expect(await reader.show({ kind: 'user', id: '50xxoff' })).toMatchObject([
      {
        documents: [{ documentId: 'd1', role: 'editor' }],
        lastActivity: { action: 'presence', documentId: 'd1' },
      },
    ]);
    expect(await reader.show({ kind: 'document', id: 'd1' })).toMatchObject([
      { users: [{ level: 'organization' }, {}] },
    ]);
    await expect(reader.show({ kind: 'user', id: '50xxof' })).rejects.toMatchObject({
      hint: "did you mean '50xxoff'?",
    });
  });
});
