import { describe, expect, it } from 'vitest';
import { SvcError } from '../../src/kernel/errors.ts';
import { errorOf, newClient, OPERATIONS, scriptedFetch, success } from './client-fixture.ts';

const { read, ...WRITES } = OPERATIONS;
const FORBIDDEN = new SvcError('usage', 'no');

function clientAsking(beforeWrite: () => Promise<void>, dryRun = false) {
  const { fetch, requests } = scriptedFetch(success());
  const { client } = newClient({
    fetch,
    beforeWrite,
    ...(dryRun && { dryRun: async () => undefined }),
  });
  return { client, requests };
}

describe('a client that needs permission to write', () => {
  it('reads without asking', async () => {
    const { client, requests } = clientAsking(() => Promise.reject(FORBIDDEN));
    await client.call(read, {});
    expect(requests).toHaveLength(1);
  });

  it.each(Object.entries(WRITES))(
    'sends nothing with the effect %s without permission',
    async (_, operation) => {
      const { client, requests } = clientAsking(() => Promise.reject(FORBIDDEN));
      expect(await errorOf(client.call(operation, {}))).toBe(FORBIDDEN);
      expect(
        await errorOf(client.send({ path: '/v2/x', auth: 'key', effect: operation.effect }, {})),
      ).toBe(FORBIDDEN);
      expect(requests).toEqual([]);
    },
  );

  it('asks once for all writes, and sends none before the permission', async () => {
    let asked = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    const { client, requests } = clientAsking(() => {
      asked += 1;
      return promise;
    });
    const writes = [
      client.call(WRITES.keyed, {}),
      client.call(WRITES.delete, {}),
      client.ensureWritesAllowed(),
    ];
    await client.call(read, {});
    expect(requests).toHaveLength(1);
    resolve();
    await Promise.all(writes);
    await client.call(WRITES.set, {});
    expect([asked, requests.length]).toEqual([1, 4]);
  });

  it('does not ask for a dry run', async () => {
    const { client } = clientAsking(() => Promise.reject(FORBIDDEN), true);
    await client.ensureWritesAllowed();
    expect(await client.call(WRITES.once, {})).toEqual({ sent: false });
  });
});
