import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type State, stateSchema } from '../../../src/catalog/state.ts';
import { exportState } from '../../../src/service/state/export.ts';
import { importState } from '../../../src/service/state/import.ts';
import { resetState } from '../../../src/service/state/reset.ts';
import { secondKey, serviceWorld, type World } from '../world.ts';
import { FULL_STATE } from './full-state.ts';

const EMPTY = stateSchema.parse({});
const text = (state: State) => JSON.stringify(state);

function load({ store, credentials, clock }: World, state: State, dryRun = false) {
  return importState({ store, apiKey: credentials.apiKey, now: clock.now(), dryRun }, state);
}

const dump = ({ store, credentials }: World) => exportState(store, credentials.apiKey);

/** What a store without anything in it exports after it has imported this. */
async function copyOf(state: State): Promise<State> {
  const world = await serviceWorld();
  expect(await load(world, state)).toEqual([]);
  return dump(world);
}

describe('the state of a store', () => {
  it('has every part, and nothing in them, when it is new', async () => {
    expect(text(await dump(await serviceWorld()))).toBe(
      '{"organizations":[],"folders":[],"documents":[],"users":[],"groups":[],"activities":[],"agents":[],' +
        '"agentGroups":[],"crdt":[],"userData":[],"endpoints":[],"config":{}}',
    );
  });

  it('comes out as it went in, with what records did not say', async () => {
    const state = await copyOf(FULL_STATE);
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
    expect(state.users).toContainEqual(expect.objectContaining({ userId: 'nowhere', memberships: [] }));
    expect(state.groups).toContainEqual({
      organizationId: 'acme',
      groupId: 'legal',
      groupName: 'Legal',
      colour: 'red',
      userIds: ['0123', '__proto__'],
    });
    expect(state.userData).toHaveLength(2);
    for (const content of FULL_STATE.crdt) expect(state.crdt).toContainEqual(expect.objectContaining(content));
  });

  it('copied is the same text', async () => {
    const state = await copyOf(FULL_STATE);
    expect(text(await copyOf(stateSchema.parse(JSON.parse(text(state)))))).toBe(text(state));
  });

  it('does not change when it is imported into where it came from', async () => {
    const world = await serviceWorld();
    await load(world, FULL_STATE);
    const state = await dump(world);
    world.clock.time += 1000;
    expect(await load(world, state)).toEqual([]);
    expect(text(await dump(world))).toBe(text(state));
  });

  it('is gone after a reset, and callers still get in', async () => {
    const world = await serviceWorld();
    await load(world, FULL_STATE);
    await world.call('/v2/presence/add', { organizationId: 'acme', documentId: 'd1', users: [{ userId: 'u1' }] });
    await resetState(world.store);
    expect(await dump(world)).toEqual(EMPTY);
    const answer = await world.call('/v1/users/add', { organizationId: 'acme', users: [{ userId: 'u1' }] });
    expect(answer.http).toBe(200);
  });

  it('says itself where a record belongs, whatever the record says', async () => {
    const world = await serviceWorld();
    await world.call('/v1/users/add', { organizationId: 'acme', users: [{ userId: 'u1', organizationId: 'other' }] });
    expect((await dump(world)).users).toMatchObject([{ userId: 'u1', organizationId: 'acme' }]);
  });

  it('of one API key holds nothing of another', async () => {
    const world = await serviceWorld();
    const other = await secondKey(world);
    await world.call('/v1/users/add', { organizationId: 'acme', users: [{ userId: 'u1' }] }, other);
    expect(await dump(world)).toEqual(EMPTY);
    await load(world, stateSchema.parse({ users: [{ organizationId: 'acme', userId: 'u2' }] }));
    expect((await exportState(world.store, 'second-key')).users).toMatchObject([{ userId: 'u1' }]);
  });
});

describe('any state', () => {
  const id = fc.oneof(fc.constantFrom('__proto__', 'constructor', '0', '10', '9', 'é'), fc.string({ minLength: 1 }));
  const ids = fc.uniqueArray(id, { minLength: 1, maxLength: 4 });
  // A key `__proto__` is refused in editor contents, at any depth.
  const plain = fc.jsonValue({ maxDepth: 2 }).filter((value) => !JSON.stringify(value).includes('__proto__'));
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
      const each = <Record>(
        given: readonly string[],
        record: (organizationId: string, id: string, at: number) => Record,
      ) => organizations.flatMap((organizationId) => given.map((own, at) => record(organizationId, own, at)));
      const usable = folders.filter((folderId) => folderId !== 'root');
      return stateSchema.parse({
        organizations: organizations.map((organizationId) => ({ organizationId })),
        folders: each(usable, (organizationId, folderId, at) => {
          const parentFolderId = usable[at + 1] ?? 'root';
          return { organizationId, folderId, parentFolderId, ...(at % 2 === 1 && { accessType: 'restricted' }) };
        }),
        documents: each(documents, (organizationId, documentId, at) => {
          return { organizationId, documentId, folderId: usable[at] ?? 'root', documentName: documentId };
        }),
        users: each(users, (organizationId, userId) => ({ organizationId, userId, name: userId })),
        groups: each(users, (organizationId, groupId) => ({ organizationId, groupId, userIds: users })),
        activities: each(documents, (organizationId, documentId, at) => {
          return { organizationId, documentId, id: `${at}`, entityData: value };
        }),
        agents: users.map((agentId) => ({ id: agentId, input: value })),
        agentGroups: [{ groupId: 'g', agentIds: users }],
        crdt: each(documents, (organizationId, documentId, at) => {
          return {
            organizationId,
            documentId,
            editorId: 'e',
            type: at % 2 ? 'map' : 'array',
            data: at % 2 ? data : items,
          };
        }),
        userData: each(users, (organizationId, userId) => ({
          organizationId,
          userId,
          comments: items,
          reactions: [data],
        })),
      });
    });

  it('copied twice is the same text', async () => {
    const [first, second] = [await serviceWorld(), await serviceWorld()];
    await fc.assert(
      fc.asyncProperty(anyState, async (given) => {
        await resetState(first.store);
        await resetState(second.store);
        expect(await load(first, given)).toEqual([]);
        const exported = text(await dump(first));
        expect(await load(second, stateSchema.parse(JSON.parse(exported)))).toEqual([]);
        expect(text(await dump(second))).toBe(exported);
      }),
      { numRuns: 60 },
    );
  });
});
