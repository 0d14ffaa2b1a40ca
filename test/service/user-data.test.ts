import { describe, expect, it } from 'vitest';
import { addUserData, insertParticipants } from '../../src/service/records/user-data.ts';
import { secondKey, serviceWorld, type World } from './world.ts';

const DATA = '/v1/users/data/get';
const place = { organizationId: 'acme', userId: 'u1' };
const FEATURES = ['comments', 'reactions', 'recordings', 'notifications'] as const;

/** A user whom so many items of each kind concern. */
async function withItems(...counts: number[]): Promise<World> {
  const world = await serviceWorld();
  await world.call('/v1/users/add', { organizationId: 'acme', users: [{ userId: 'u1' }, { userId: 'u2' }] });
  await world.store.write(async (database) => {
    for (const [at, feature] of FEATURES.entries()) {
      for (let n = 0; n < (counts[at] ?? 0); n++) {
        const item = await addUserData(database, 1, feature, { id: `${feature}-${n}`, documentId: 'd1' });
        await insertParticipants(database, [{ organization: 1, userId: 'u1', feature, item }]);
      }
    }
  });
  return world;
}

describe("a user's data", () => {
  it('comes in pages of a hundred of each kind, under one token that is null at the end', async () => {
    const { call } = await withItems(250, 100, 0, 101);
    const pages: number[][] = [];
    const seen: string[] = [];
    let pageToken: string | null | undefined;
    do {
      const { body } = await call(DATA, { ...place, ...(pageToken ? { pageToken } : {}) });
      const { data } = body.result ?? {};
      pages.push(FEATURES.map((feature) => data[feature].length));
      seen.push(...FEATURES.flatMap((feature) => data[feature].map(({ id }: { id: string }) => id)));
      pageToken = body.result?.['nextPageToken'] as string | null;
    } while (pageToken);
    expect(pageToken).toBeNull();
    expect(pages).toEqual([
      [100, 100, 0, 100],
      [100, 0, 0, 1],
      [50, 0, 0, 0],
    ]);
    expect(new Set(seen).size).toBe(451);
  });

  it('ends with a page that is just full', async () => {
    const { call } = await withItems(100, 100, 100, 100);
    expect((await call(DATA, place)).body.result?.['nextPageToken']).toBeNull();
  });

  it('comes as it was given, in order', async () => {
    const { call } = await withItems(2);
    const { body } = await call(DATA, place);
    expect(body.result?.data.comments).toEqual([
      { id: 'comments-0', documentId: 'd1' },
      { id: 'comments-1', documentId: 'd1' },
    ]);
  });

  it("is no other user's, nor another key's", async () => {
    const world = await withItems(1, 1, 1, 1);
    const nothing = { comments: [], reactions: [], recordings: [], notifications: [] };
    expect((await world.call(DATA, { ...place, userId: 'u2' })).body.result?.data).toEqual(nothing);
    expect((await world.call(DATA, place, await secondKey(world))).body.result?.data).toEqual(nothing);
    expect((await world.call(DATA, { ...place, organizationId: 'no' })).body.result?.data).toEqual(nothing);
  });

  it.each(['x', 'ZG9jdW1lbnRzOjE', 'dXNlci1kYXRhOi0x'])('refuses the page token %j', async (pageToken) => {
    const { call } = await withItems(1);
    const { body } = await call(DATA, { ...place, pageToken });
    expect(body.error).toMatchObject({
      status: 'INVALID_ARGUMENT',
      message: 'pageToken: not a token of this list',
    });
  });
});
