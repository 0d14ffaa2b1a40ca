import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createSerialQueue } from '../../src/service/store/file-queue.ts';
import {
  batchReads,
  batchRemoteWrites,
  batchWrites,
  poolReads,
} from '../../src/service/store/shared-transactions.ts';
import type { Database, Work } from '../../src/service/store/store.ts';
import { loadOnce } from '../../src/service/store/transaction-cache.ts';

const NO_DATABASE = {} as Database;

/** Sets the time in seconds. */
let setTime: (seconds: number) => void;

// The time that a transaction is shared is limited, also on a busy machine.
beforeEach(() => {
  const spy = vi.spyOn(process, 'hrtime');
  setTime = (seconds) => void spy.mockReturnValue([seconds, 0]);
  setTime(0);
  return () => spy.mockRestore();
});

/**
 * A write that is rolled back and one in the same transaction after it, which both read a value.
 * Returns the outcomes.
 */
const writeAfterRollback = (write: <Result>(work: Work<Result>) => Promise<Result>) =>
  Promise.allSettled([
    write(async (database) => {
      await loadOnce(database, 'name', async () => 'rolled back');
      throw new Error('no');
    }),
    write((database) => loadOnce(database, 'name', async () => 'stored')),
  ]);

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
    const responses = [1, 2, 3].map((n) =>
      read(async () => (n === 2 ? Promise.reject(new Error('no')) : n)),
    );
    const outcomes = await Promise.allSettled(
      responses.map((response) => response.finally(() => expect(open).toBe(false))),
    );
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

describe('reads on several connections', () => {
  /**
   * Reads on two connections. An error of a read ends its transaction unless it is a `RangeError`.
   */
  function createReads() {
    const log: string[] = [];
    let [open, most] = [0, 0];
    const transact = async <Result>(work: Work<Result>) => {
      log.push('begin');
      most = Math.max(most, ++open);
      await new Promise((resolve) => setImmediate(resolve));
      return work(NO_DATABASE).finally(() => open--);
    };
    const run = poolReads(2, transact, (error) => !(error instanceof RangeError));
    const read = (name: string, outcome: () => unknown = () => name) =>
      run(async () => {
        log.push(name);
        return outcome();
      });
    return { log, read, most: () => most };
  }

  it('share a transaction if they have to wait for a connection', async () => {
    const { log, read, most } = createReads();
    expect(await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => read(name)))).toEqual([
      'a',
      'b',
      'c',
      'd',
      'e',
      'f',
    ]);
    expect(most()).toBe(2);
    expect(log.filter((entry) => entry === 'begin').length).toBeLessThan(6);
    log.length = 0;
    expect(await read('g')).toBe('g');
    expect(log).toEqual(['begin', 'g']);
  });

  it('fail alone, even if one of them ends its transaction', async () => {
    const { log, read } = createReads();
    const failing = (error: Error) => () => Promise.reject(error);
    const refused = [
      read('a'),
      read('b'),
      read('c', failing(new RangeError('no'))),
      read('d'),
      read('e'),
      read('f'),
    ];
    expect((await Promise.allSettled(refused)).map(({ status }) => status === 'fulfilled')).toEqual(
      [true, true, false, true, true, true],
    );
    expect(log.filter((entry) => entry === 'd')).toHaveLength(1);
    log.length = 0;
    const ended = [
      read('a'),
      read('b'),
      read('c'),
      read('d', failing(new Error('no'))),
      read('e'),
      read('f'),
    ];
    expect((await Promise.allSettled(ended)).map(({ status }) => status === 'fulfilled')).toEqual([
      true,
      true,
      true,
      false,
      true,
      true,
    ]);
    expect(log.filter((entry) => entry === 'c')).toHaveLength(2);
  });
});

/** Writes to transactions that only log what happens to them. */
function createWrites({ commit = async () => {} }: { readonly commit?: () => Promise<void> } = {}) {
  const log: string[] = [];
  let isInTransaction = false;
  const transact = async <Result>(work: Work<Result>) => {
    log.push('begin');
    isInTransaction = true;
    try {
      const result = await work(NO_DATABASE);
      await commit();
      log.push('commit');
      return result;
    } finally {
      isInTransaction = false;
    }
  };
  const savepoints = {
    isInTransaction: () => isInTransaction,
    execute: (sql: string) => void log.push(sql),
  };
  const run = batchWrites(createSerialQueue(), transact, savepoints);
  const write = (name: string, change: () => unknown = () => undefined) =>
    run(async () => {
      log.push(name);
      return change();
    }).finally(() => log.push(`${name} settles`));
  const endTransaction = () => {
    isInTransaction = false;
    throw new Error('ended');
  };
  return { log, write, endTransaction };
}

describe('concurrent writes', () => {
  it('share a transaction in their order, and settle after its commit', async () => {
    const { log, write } = createWrites();
    await Promise.all([write('a'), write('b')]);
    const task = (name: string) => ['savepoint task', name, 'release task'];
    expect(log).toEqual(['begin', ...task('a'), ...task('b'), 'commit', 'a settles', 'b settles']);
    log.length = 0;
    await write('c');
    expect(log).toEqual(['begin', ...task('c'), 'commit', 'c settles']);
  });

  it('are rolled back individually', async () => {
    const { log, write } = createWrites();
    const failing = () => Promise.reject(new Error('no'));
    const outcomes = await Promise.allSettled([
      write('a', () => 1),
      write('b', failing),
      write('c', () => 3),
    ]);
    expect(outcomes).toEqual([
      { status: 'fulfilled', value: 1 },
      { status: 'rejected', reason: new Error('no') },
      { status: 'fulfilled', value: 3 },
    ]);
    expect(log.filter((entry) => entry.startsWith('rollback'))).toHaveLength(1);
    expect(log.slice(log.indexOf('b'), log.indexOf('c'))).toEqual([
      'b',
      'rollback to task',
      'release task',
      'savepoint task',
    ]);
  });

  it('never see a value that a write has read and changed before it was rolled back', async () => {
    let transactions = 0;
    const transact = <Result>(work: Work<Result>) => {
      transactions++;
      return work({} as Database);
    };
    const savepoints = { isInTransaction: () => true, execute: () => undefined };
    const write = batchWrites(createSerialQueue(), transact, savepoints);
    expect(await writeAfterRollback(write)).toMatchObject([
      { status: 'rejected' },
      { value: 'stored' },
    ]);
    expect(transactions).toBe(1);
  });

  it('run one by one if one of them ends the transaction', async () => {
    const { log, write, endTransaction } = createWrites();
    const outcomes = await Promise.allSettled([
      write('a', () => 1),
      write('b', endTransaction),
      write('c', () => 3),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(log.filter((entry) => /^(begin|commit|[abc])$/.test(entry)).join()).toBe(
      'begin,a,b,begin,a,commit,begin,b,begin,c,commit',
    );
  });

  it('all fail if the commit fails, and none is repeated', async () => {
    const { log, write } = createWrites({ commit: () => Promise.reject(new Error('no disk')) });
    const outcomes = await Promise.allSettled([write('a'), write('b')]);
    expect(outcomes).toEqual(
      [1, 2].map(() => ({ status: 'rejected', reason: new Error('no disk') })),
    );
    expect(log.filter((entry) => entry === 'begin')).toHaveLength(1);
  });

  it('wait for the next transaction after a slow one, in their order', async () => {
    const { log, write } = createWrites();
    await Promise.all([write('a'), write('b', () => setTime(1)), write('c'), write('d')]);
    expect(log.filter((entry) => /^(begin|commit|[a-d])$/.test(entry)).join()).toBe(
      'begin,a,b,commit,begin,c,d,commit',
    );
  });
});

describe('writes of a remote database', () => {
  const conflict = new Error('conflict');

  /**
   * Creates writes to a list of names, which a transaction replaces at its commit. `commit` may
   * fail.
   */
  function createWrites(commit: (transaction: number) => void = () => undefined) {
    const log: string[] = [];
    let [committed, current, saved, transactions]: [string[], string[], string[], number] = [
      [],
      [],
      [],
      0,
    ];
    const running: (string | undefined)[] = [];
    const overlaps = new Set<string>();
    const idle = Promise.withResolvers<void>();
    const write = batchRemoteWrites(
      async (work) => {
        for (;;) {
          expect(running).toEqual([]);
          transactions++;
          current = [...committed];
          try {
            const result = await work(NO_DATABASE).finally(() => expect(running).toEqual([]));
            commit(transactions);
            committed = current;
            return result;
          } catch (error) {
            if (error !== conflict) throw error;
          }
        }
      },
      {
        endsTransaction: (error) => error === conflict,
        execute: async (_, sql) => {
          log.push(sql);
          if (sql === 'savepoint task') saved = [...current];
          else current = [...saved];
        },
      },
      idle.resolve,
    );
    return {
      log,
      idle: idle.promise,
      committed: () => committed,
      transactions: () => transactions,
      overlaps: () => [...overlaps].toSorted(),
      add: (
        name: string,
        {
          error,
          ...options
        }: { readonly error?: unknown; readonly part?: string; readonly isLarge?: boolean } = {},
      ) =>
        write(async () => {
          for (const other of running) overlaps.add([options.part, other].join());
          running.push(options.part);
          await new Promise((resolve) => setImmediate(resolve));
          current.push(name);
          running.splice(running.indexOf(options.part), 1);
          if (error !== undefined) throw error;
          return name;
        }, options),
    };
  }

  it('share a transaction without savepoints, and settle after its commit', async () => {
    const writes = createWrites();
    const added = ['a', 'b', 'c'].map((name) =>
      writes.add(name).then(() => expect(writes.committed()).toContain(name)),
    );
    await Promise.all(added);
    expect(writes).toMatchObject({ log: [] });
    expect([writes.transactions(), writes.committed()]).toEqual([1, ['a', 'b', 'c']]);
    await writes.idle;
  });

  it('run again with savepoints if one fails, which changes nothing', async () => {
    const writes = createWrites();
    const refusal = new Error('no');
    const outcomes = await Promise.allSettled([
      writes.add('a'),
      writes.add('b', { error: refusal }),
      writes.add('c'),
    ]);
    expect(outcomes).toEqual([
      { status: 'fulfilled', value: 'a' },
      { status: 'rejected', reason: refusal },
      { status: 'fulfilled', value: 'c' },
    ]);
    expect(writes.committed()).toEqual(['a', 'c']);
    expect(writes.transactions()).toBe(2);
  });

  it('never see a value that a write has read and changed before it was rolled back', async () => {
    let transactions = 0;
    const transact = <Result>(work: Work<Result>) => {
      transactions++;
      return work({} as Database);
    };
    const savepoints = { endsTransaction: () => false, execute: async () => undefined };
    const write = batchRemoteWrites(transact, savepoints, () => undefined);
    expect(await writeAfterRollback(write)).toMatchObject([
      { status: 'rejected' },
      { value: 'stored' },
    ]);
    // The first transaction is abandoned when a write fails.
    expect(transactions).toBe(2);
  });

  it('need no savepoint if there is only one', async () => {
    const writes = createWrites();
    await expect(writes.add('a', { error: new Error('no') })).rejects.toThrow('no');
    expect([writes.log, writes.transactions(), writes.committed()]).toEqual([[], 1, []]);
  });

  it('all fail if the commit fails', async () => {
    const writes = createWrites(() => {
      throw new Error('no disk');
    });
    const outcomes = await Promise.allSettled([writes.add('a'), writes.add('b')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(writes.committed()).toEqual([]);
  });

  it('settle once if the transaction runs again after a conflict', async () => {
    const writes = createWrites((transaction) => {
      if (transaction === 1) throw conflict;
    });
    expect(await Promise.all([writes.add('a'), writes.add('b')])).toEqual(['a', 'b']);
    expect([writes.transactions(), writes.committed()]).toEqual([2, ['a', 'b']]);
  });

  it('overlap if they use different parts of the data', async () => {
    const writes = createWrites();
    const parts = ['x', 'y', 'x', undefined, 'y', 'z'];
    await Promise.all(parts.map((part, at) => writes.add(`${at}`, part ? { part } : {})));
    expect(writes.overlaps()).toEqual(['x,y', 'y,x', 'z,y']);
    expect(writes.committed()).toEqual(['0', '1', '2', '3', '4', '5']);
  });

  it('have a transaction to themselves if they are large, and let small ones pass', async () => {
    const writes = createWrites();
    const isLarge = true;
    const added = [
      writes.add('a', { isLarge }),
      writes.add('b', { isLarge }),
      writes.add('c'),
      writes.add('d', { isLarge }),
      writes.add('e'),
    ];
    await Promise.all(added);
    expect([writes.transactions(), writes.committed()]).toEqual([4, ['c', 'e', 'a', 'b', 'd']]);
  });

  it('alternate with large ones, so that none waits for ever', async () => {
    const writes = createWrites();
    let isOver = false;
    const keepAdding = async () => {
      for (let at = 0; !isOver; at++) await writes.add(`small ${at}`);
    };
    const small = keepAdding();
    await Promise.all(['a', 'b'].map((name) => writes.add(name, { isLarge: true })));
    isOver = true;
    await small;
    const large = writes.committed().filter((name) => !name.startsWith('small'));
    expect(large).toEqual(['a', 'b']);
    expect(writes.committed().indexOf('b')).toBeGreaterThan(writes.committed().indexOf('a') + 1);
  });

  it('end before the transaction, even if another one has failed', async () => {
    const writes = createWrites();
    const error = new Error('no');
    const outcomes = await Promise.allSettled([
      writes.add('a', { part: 'x', error }),
      writes.add('b', { part: 'y' }),
      writes.add('c', { part: 'z' }),
      writes.add('d', { part: 'x' }),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'rejected',
      'fulfilled',
      'fulfilled',
      'fulfilled',
    ]);
    expect(writes.committed().toSorted()).toEqual(['b', 'c', 'd']);
  });

  it('apply each write that succeeds exactly once, in the order of its part, whatever fails', async () => {
    const write = fc.record({
      fails: fc.boolean(),
      pause: fc.nat(2),
      part: fc.option(fc.constantFrom('x', 'y', 'z'), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(write, { maxLength: 12 }), async (plan) => {
        const writes = createWrites();
        const started: Promise<unknown>[] = [];
        for (const [at, { fails, pause, part }] of plan.entries()) {
          for (let turn = 0; turn < pause; turn++)
            await new Promise((resolve) => setImmediate(resolve));
          const error = fails ? new Error('no') : undefined;
          const added = writes.add(`${at}`, { error, ...(part && { part }) });
          // The rejection may come before the others have started.
          added.catch(() => undefined);
          started.push(added);
        }
        const outcomes = await Promise.allSettled(started);
        expect(outcomes.map(({ status }) => status === 'rejected')).toEqual(
          plan.map(({ fails }) => fails),
        );
        const committed = writes.committed().map(Number);
        const succeeded = plan.flatMap(({ fails }, at) => (fails ? [] : [at]));
        expect(committed.toSorted((one, other) => one - other)).toEqual(succeeded);
        const sees = (one: number, other: number) => {
          const parts = [plan[one]?.part, plan[other]?.part];
          return parts.includes(undefined) || parts[0] === parts[1];
        };
        for (const [place, at] of committed.entries())
          for (const later of committed.slice(place + 1))
            if (sees(at, later)) expect(at).toBeLessThan(later);
      }),
    );
  });
});
