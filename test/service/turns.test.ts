import { describe, expect, it } from 'vitest';
import type { Database } from '../../src/service/store/store.ts';
import { oneAfterTheOther, sharedReads } from '../../src/service/store/turns.ts';

const NO_DATABASE = {} as Database;

describe('reads of one turn', () => {
  it('share a transaction, answer each for itself, and only when it is over', async () => {
    let transactions = 0;
    let open = false;
    const read = sharedReads(async (work) => {
      transactions++;
      open = true;
      const result = await work(NO_DATABASE);
      open = false;
      return result;
    });
    const answers = [1, 2, 3].map((n) => read(async () => (n === 2 ? Promise.reject(new Error('no')) : n)));
    const seen = await Promise.allSettled(answers.map((answer) => answer.finally(() => expect(open).toBe(false))));
    expect(seen).toEqual([
      { status: 'fulfilled', value: 1 },
      { status: 'rejected', reason: new Error('no') },
      { status: 'fulfilled', value: 3 },
    ]);
    expect(transactions).toBe(1);
    await read(async () => 4);
    expect(transactions).toBe(2);
  });

  it('all fail with a transaction that cannot begin', async () => {
    const read = sharedReads(() => Promise.reject(new Error('no disk')));
    const answers = await Promise.allSettled([read(async () => 1), read(async () => 2)]);
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});

describe('one after the other', () => {
  it('keeps the order, and goes on after a failure', async () => {
    const inTurn = oneAfterTheOther();
    const log: string[] = [];
    const step = (name: string) => async () => {
      log.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      log.push(`${name} ends`);
      if (name === 'a') throw new Error('no');
    };
    await Promise.allSettled([inTurn(step('a')), inTurn(step('b'))]);
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });
});
