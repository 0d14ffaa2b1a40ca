import { describe, expect, it } from 'vitest';
import { batchReads, createSerialQueue } from '../../src/service/store/file-queue.ts';
import type { Database } from '../../src/service/store/store.ts';

const NO_DATABASE = {} as Database;

describe('concurrent reads', () => {
  it('share a transaction, and settle individually after it ends', async () => {
    let transactions = 0;
    let open = false;
    const read = batchReads(async (work) => {
      transactions++;
      open = true;
      const result = await work(NO_DATABASE);
      open = false;
      return result;
    });
    const responses = [1, 2, 3].map((n) => read(async () => (n === 2 ? Promise.reject(new Error('no')) : n)));
    const outcomes = await Promise.allSettled(responses.map((response) => response.finally(() => expect(open).toBe(false))));
    expect(outcomes).toEqual([
      { status: 'fulfilled', value: 1 },
      { status: 'rejected', reason: new Error('no') },
      { status: 'fulfilled', value: 3 },
    ]);
    expect(transactions).toBe(1);
    await read(async () => 4);
    expect(transactions).toBe(2);
  });

  it('all fail if the transaction cannot begin', async () => {
    const read = batchReads(() => Promise.reject(new Error('no disk')));
    const responses = await Promise.allSettled([read(async () => 1), read(async () => 2)]);
    expect(responses.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});

describe('a serial queue', () => {
  it('keeps the order, and continues after a failure', async () => {
    const enqueue = createSerialQueue();
    const log: string[] = [];
    const step = (name: string) => async () => {
      log.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      log.push(`${name} ends`);
      if (name === 'a') throw new Error('no');
    };
    await Promise.allSettled([enqueue(step('a')), enqueue(step('b'))]);
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });
});
