import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type State, stateSchema } from '../../../src/catalog/state.ts';
import { resetState } from '../../../src/service/state/reset.ts';
import { exportState, importState, type StateImport } from '../../../src/service/state/transfer.ts';
import { repeats } from '../../repeats.ts';
import { SLOW } from '../../slow.ts';
import { isPostgres } from '../store-location.ts';
import { addSecondKey, startTestService, type TestService } from '../test-service.ts';
import { FULL_STATE } from './full-state.ts';

const EMPTY = stateSchema.parse({});
const text = (state: State) => JSON.stringify(state);

function load(
  { store, credentials: { apiKey }, clock }: TestService,
  state: State,
  options: Partial<StateImport> = {},
) {
  return importState({ store, apiKey, now: clock.now(), dryRun: false, ...options }, state);
}

const dump = ({ store, credentials }: TestService) => exportState(store, credentials.apiKey);

/** Imports a state into an empty store and returns its export. */
async function importAndExport(state: State): Promise<State> {
  const service = await startTestService();
  expect(await load(service, state)).toEqual([]);
  return dump(service);
}

describe('the state of a store', () => {
  it('has all sections, and they are empty, if the store is new', async () => {
    expect(text(await dump(await startTestService()))).toBe(
      '{"organizations":[],"folders":[],"documents":[],"users":[],"groups":[],"activities":[],"agents":[],' +
        '"agentGroups":[],"crdt":[],"userData":[],"endpoints":[],"config":{}}',
    );
  });

  it('has expiration times in seconds, and accepts milliseconds', async () => {
    const expiring = (expiresAt: number) => ({
      ...EMPTY,
      users: [
        {
          organizationId: 'acme',
          userId: 'u1',
          memberships: [{ type: 'folder' as const, id: 'f1', expiresAt }],
        },
      ],
    });
    const state = await importAndExport(expiring(4_102_444_800));
    expect(state.users[0]?.memberships?.[0]?.expiresAt).toBe(4_102_444_800);
    expect(text(await importAndExport(expiring(4_102_444_800_000)))).toBe(text(state));
  });

  it('is exported as imported, with defaults for omitted fields', async () => {
    const state = await importAndExport(FULL_STATE);
    expect(state).toMatchObject({
      ...FULL_STATE,
      folders: expect.anything(),
      users: expect.anything(),
      groups: expect.anything(),
      crdt: expect.anything(),
      userData: expect.anything(),
    });
    expect(state.folders).toContainEqual({
      organizationId: 'acme',
      folderId: 'f3',
      folderName: 'Pläne',
      parentFolderId: 'f2',
      ancestors: ['root', 'f1', 'f2'],
      accessType: 'restricted',
      inheritAccessFromParent: true,
      createdAt: 1_700_000_000_000,
      lastUpdated: 1_700_000_000_000,
    });
    expect(state.users).toContainEqual({
      organizationId: 'acme',
      userId: '0123',
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      initial: 'A',
      plan: 'gold',
      memberships: [{ type: 'organization', id: 'acme' }],
    });
    expect(state.users).toContainEqual(
      expect.objectContaining({ userId: 'nowhere', memberships: [] }),
    );
    expect(state.groups).toContainEqual({
      organizationId: 'acme',
      groupId: 'legal',
      groupName: 'Legal',
      colour: 'red',
      userIds: ['0123', '__proto__'],
    });
    expect(state.userData).toHaveLength(2);
    for (const content of FULL_STATE.crdt)
      expect(state.crdt).toContainEqual(expect.objectContaining(content));
  });

  it('is the same text after a copy', async () => {
    const state = await importAndExport(FULL_STATE);
    expect(text(await importAndExport(stateSchema.parse(JSON.parse(text(state)))))).toBe(
      text(state),
    );
  });

  it('does not change if it is imported into its own store', async () => {
    const service = await startTestService();
    await load(service, FULL_STATE);
    const state = await dump(service);
    service.clock.time += 1000;
    expect(await load(service, state)).toEqual([]);
    expect(text(await dump(service))).toBe(text(state));
  });

  it('does not change if its import is stopped', async () => {
    const service = await startTestService();
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(load(service, FULL_STATE, { signal })).rejects.toThrow('stopped');
    expect(await dump(service)).toEqual(EMPTY);
  });

  it('is deleted by a reset, and credentials still work', async () => {
    const service = await startTestService();
    await load(service, FULL_STATE);
    await service.call('/v2/presence/add', {
      organizationId: 'acme',
      documentId: 'd1',
      users: [{ userId: 'u1' }],
    });
    await resetState(service.store);
    expect(await dump(service)).toEqual(EMPTY);
    const response = await service.call('/v1/users/add', {
      organizationId: 'acme',
      users: [{ userId: 'u1' }],
    });
    expect(response.http).toBe(200);
  });

  it('sets the organization of a record, whatever the record contains', async () => {
    const service = await startTestService();
    await service.call('/v1/users/add', {
      organizationId: 'acme',
      users: [{ userId: 'u1', organizationId: 'other' }],
    });
    expect((await dump(service)).users).toMatchObject([{ userId: 'u1', organizationId: 'acme' }]);
  });

  it('of one API key contains no data of another', async () => {
    const service = await startTestService();
    const other = await addSecondKey(service);
    await service.call(
      '/v1/users/add',
      { organizationId: 'acme', users: [{ userId: 'u1' }] },
      other,
    );
    expect(await dump(service)).toEqual(EMPTY);
    await load(service, stateSchema.parse({ users: [{ organizationId: 'acme', userId: 'u2' }] }));
    expect((await exportState(service.store, 'second-key')).users).toMatchObject([
      { userId: 'u1' },
    ]);
  });
});

describe('any state', () => {
  const id = fc.oneof(
    fc.constantFrom('__proto__', 'constructor', '0', '10', '9', 'é'),
    fc.string({ minLength: 1 }),
  );
  const ids = fc.uniqueArray(id, { minLength: 1, maxLength: 4 });
  // Editor contents reject the key `__proto__` at any depth.
  const plain = fc
    .jsonValue({ maxDepth: 2 })
    .filter((value) => !JSON.stringify(value).includes('__proto__'));
  const json = plain.map((value) => JSON.parse(JSON.stringify(value)));
  const key = fc.string().filter((name) => name !== '__proto__');
  const item = fc.dictionary(key, json, { maxKeys: 3, noNullPrototype: true });

  const anyState = fc
    .record({
      organizations: ids,
      folders: ids,
      documents: ids,
      users: ids,
      data: item,
      items: fc.array(item),
      value: json,
    })
    .map(({ organizations, folders, documents, users, data, items, value }) => {
      const inEveryOrganization = <Record>(
        ids: readonly string[],
        record: (organizationId: string, id: string, at: number) => Record,
      ) =>
        organizations.flatMap((organizationId) =>
          ids.map((id, at) => record(organizationId, id, at)),
        );
      const usable = folders.filter((folderId) => folderId !== 'root');
      return stateSchema.parse({
        organizations: organizations.map((organizationId) => ({ organizationId })),
        folders: inEveryOrganization(usable, (organizationId, folderId, at) => {
          const parentFolderId = usable[at + 1] ?? 'root';
          return {
            organizationId,
            folderId,
            parentFolderId,
            ...(at % 2 === 1 && { accessType: 'restricted' }),
          };
        }),
        documents: inEveryOrganization(documents, (organizationId, documentId, at) => {
          return {
            organizationId,
            documentId,
            folderId: usable[at] ?? 'root',
            documentName: documentId,
          };
        }),
        users: inEveryOrganization(users, (organizationId, userId) => ({
          organizationId,
          userId,
          name: userId,
        })),
        groups: inEveryOrganization(users, (organizationId, groupId) => ({
          organizationId,
          groupId,
          userIds: users,
        })),
        activities: inEveryOrganization(documents, (organizationId, documentId, at) => {
          return { organizationId, documentId, id: `${at}`, entityData: value };
        }),
        agents: users.map((agentId) => ({ id: agentId, input: value })),
        agentGroups: [{ groupId: 'g', agentIds: users }],
        crdt: inEveryOrganization(documents, (organizationId, documentId, at) => {
          return {
            organizationId,
            documentId,
            editorId: 'e',
            type: at % 2 ? 'map' : 'array',
            data: at % 2 ? data : items,
          };
        }),
        userData: inEveryOrganization(users, (organizationId, userId) => ({
          organizationId,
          userId,
          comments: items,
          reactions: [data],
        })),
      });
    });

  it('is the same text after two copies', SLOW, async () => {
    const [first, second] = [await startTestService(), await startTestService()];
    await fc.assert(
      fc.asyncProperty(anyState, async (state) => {
        await resetState(first.store);
        await resetState(second.store);
        expect(await load(first, state)).toEqual([]);
        const exported = text(await dump(first));
        expect(await load(second, stateSchema.parse(JSON.parse(exported)))).toEqual([]);
        expect(text(await dump(second))).toBe(exported);
      }),
      { numRuns: repeats(isPostgres ? 10 : 20) },
    );
  });
});
