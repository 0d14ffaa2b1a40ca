import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prepareQuery } from '../../src/service/store/prepared-query.ts';
import { startTestService } from './test-service.ts';

interface Filter {
  readonly id?: string | null | undefined;
  readonly ids?: readonly string[];
  readonly sorted?: boolean;
}

/** Creates a query for API keys with optional filters, which counts how often it is built. */
function createQuery() {
  let built = 0;
  const select = prepareQuery((database, { id, ids, sorted }: Filter) => {
    built++;
    const all = database.selectFrom('apiKeys').select('id');
    const one = id === undefined ? all : all.where('id', '=', id as string);
    const some = ids ? one.where('id', 'in', ids) : one;
    return sorted ? some.orderBy('id', 'desc') : some;
  });
  return { select, built: () => built };
}

async function startWithKeys(ids: readonly string[]) {
  const { store, credentials } = await startTestService();
  await store.write(async (database) => {
    const rows = ids.map((id) => ({
      id,
      workspaceId: credentials.workspaceId,
      apiKeyName: '',
      type: 'testing',
    }));
    await database.insertInto('apiKeys').values(rows).execute();
  });
  const { select, built } = createQuery();
  const run = async (filter: Filter) =>
    (await store.read((database) => select(database, filter))).map(({ id }) => id);
  return { run, built };
}

describe('a prepared query', () => {
  it('returns the same rows as a query built on each execution, for any filters in any order', async () => {
    const ids = ['a', 'b', 'c', '?', '{id:?}'];
    const { run } = await startWithKeys(ids);
    const id = fc.constantFrom(...ids, 'unknown');
    const filters = fc.record(
      { id, ids: fc.array(id, { minLength: 1, maxLength: 3 }), sorted: fc.boolean() },
      { requiredKeys: [] },
    );
    const agrees = fc.asyncProperty(filters, async (filter) => {
      const expected = ids.filter(
        (item) => (filter.id ?? item) === item && (filter.ids ?? [item]).includes(item),
      );
      const found = (await run(filter)).filter((item) => ids.includes(item));
      expect(found.toSorted()).toEqual(expected.toSorted());
      if (filter.sorted) expect(found).toEqual(found.toSorted().reverse());
    });
    await fc.assert(agrees);
  });

  it('is built once per combination of filters', async () => {
    const { run, built } = await startWithKeys(['a', 'b']);
    for (const id of ['a', 'b', 'c']) await run({ id });
    expect(built()).toBe(1);
    await run({ ids: ['a'] });
    await run({ ids: ['b', 'a'] });
    await run({ ids: ['a', 'c'] });
    expect(built()).toBe(3);
  });

  it('accepts null as a value', async () => {
    const { run } = await startWithKeys(['a']);
    expect(await run({ id: null })).toEqual([]);
    expect(await run({ id: 'a' })).toEqual(['a']);
  });
});
