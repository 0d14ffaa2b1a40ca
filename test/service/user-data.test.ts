import { describe, expect, it } from 'vitest';
import { addUserData, insertParticipants } from '../../src/service/records/user-data.ts';
import { addSecondKey, startTestService, type TestService } from './test-service.ts';

const DATA = '/v1/users/data/get';
const ids = { organizationId: 'acme', userId: 'u1' };
const FEATURES = ['comments', 'reactions', 'recordings', 'notifications'] as const;

/** Starts a service with a user who has this many items of each kind. */
async function startWithItems(...counts: number[]): Promise<TestService> {
  const service = await startTestService();
  await service.call('/v1/users/add', {
    organizationId: 'acme',
    users: [{ userId: 'u1' }, { userId: 'u2' }],
  });
  await service.store.write(async (database) => {
    for (const [at, feature] of FEATURES.entries()) {
      for (let n = 0; n < (counts[at] ?? 0); n++) {
        const item = await addUserData(database, 1, feature, {
          id: `${feature}-${n}`,
          documentId: 'd1',
        });
        await insertParticipants(database, [{ organization: 1, userId: 'u1', feature, item }]);
      }
    }
  });
  return service;
}

describe("a user's data", () => {
  it('is returned in pages of 100 items of each kind, with one token that is null at the end', async () => {
    const { call } = await startWithItems(250, 100, 0, 101);
    const pages: number[][] = [];
    const itemIds: string[] = [];
    let pageToken: string | null | undefined;
    do {
      const { body } = await call(DATA, { ...ids, ...(pageToken ? { pageToken } : {}) });
      const { data } = body.result ?? {};
      pages.push(FEATURES.map((feature) => data[feature].length));
      itemIds.push(
        ...FEATURES.flatMap((feature) => data[feature].map(({ id }: { id: string }) => id)),
      );
      pageToken = body.result?.['nextPageToken'] as string | null;
    } while (pageToken);
    expect(pageToken).toBeNull();
    expect(pages).toEqual([
      [100, 100, 0, 100],
      [100, 0, 0, 1],
      [50, 0, 0, 0],
    ]);
    expect(new Set(itemIds).size).toBe(451);
  });

  it('ends after an exactly full page', async () => {
    const { call } = await startWithItems(100, 100, 100, 100);
    expect((await call(DATA, ids)).body.result?.['nextPageToken']).toBeNull();
  });

  it('is returned as added, in order', async () => {
    const { call } = await startWithItems(2);
    const { body } = await call(DATA, ids);
    expect(body.result?.data.comments).toEqual([
      { id: 'comments-0', documentId: 'd1' },
      { id: 'comments-1', documentId: 'd1' },
    ]);
  });

  it('is not visible to another user or API key', async () => {
    const service = await startWithItems(1, 1, 1, 1);
    const nothing = { comments: [], reactions: [], recordings: [], notifications: [] };
    expect((await service.call(DATA, { ...ids, userId: 'u2' })).body.result?.data).toEqual(nothing);
    expect((await service.call(DATA, ids, await addSecondKey(service))).body.result?.data).toEqual(
      nothing,
    );
    expect((await service.call(DATA, { ...ids, organizationId: 'no' })).body.result?.data).toEqual(
      nothing,
    );
  });

  it.each(['x', 'ZG9jdW1lbnRzOjE', 'dXNlci1kYXRhOi0x'])(
    'rejects the page token %j',
    async (pageToken) => {
      const { call } = await startWithItems(1);
      const { body } = await call(DATA, { ...ids, pageToken });
      expect(body.error).toMatchObject({
        status: 'INVALID_ARGUMENT',
        message: 'pageToken: not a page token of this list',
      });
    },
  );
});
