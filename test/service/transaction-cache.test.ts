import { describe, expect, it } from 'vitest';
import type { Database } from '../../src/service/store/store.ts';
import { forgetCached, loadOnce } from '../../src/service/store/transaction-cache.ts';

/** Returns a function that loads the next of some results. */
function createLoad(...results: readonly (string | Error | undefined)[]) {
  const database = {} as Database;
  const waiting = [...results];
  const load = async () => {
    const result = waiting.shift();
    if (result instanceof Error) throw result;
    return result;
  };
  return { database, load: () => loadOnce(database, 'name', load) };
}

describe('a value of a transaction', () => {
  it('is loaded once, also for calls at the same time', async () => {
    const { load } = createLoad('first', 'second');
    expect(await Promise.all([load(), load()])).toEqual(['first', 'first']);
    expect(await load()).toBe('first');
  });

  it('is loaded again if it was missing or could not be loaded', async () => {
    const { load } = createLoad(undefined, new Error('no'), 'found', 'other');
    expect(await load()).toBeUndefined();
    await expect(load()).rejects.toThrow('no');
    expect([await load(), await load()]).toEqual(['found', 'found']);
  });

  it('is loaded again after it was forgotten', async () => {
    const { database, load } = createLoad('old', 'new');
    expect(await load()).toBe('old');
    forgetCached(database);
    expect(await load()).toBe('new');
  });
});
