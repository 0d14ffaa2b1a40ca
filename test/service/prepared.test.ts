import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prepared } from '../../src/service/store/prepared.ts';
import { serviceWorld } from './world.ts';

interface Given {
  readonly id?: string | null | undefined;
  readonly ids?: readonly string[];
  readonly sorted?: boolean;
}

/** API keys, by filters that come and go; counts how often it is built. */
function keysQuery() {
  let built = 0;
  const select = prepared((database, { id, ids, sorted }: Given) => {
    built++;
    const all = database.selectFrom('apiKeys').select('id');
    const one = id === undefined ? all : all.where('id', '=', id as string);
    const some = ids ? one.where('id', 'in', ids) : one;
    return sorted ? some.orderBy('id', 'desc') : some;
  });
  return { select, built: () => built };
}

async function withKeys(ids: readonly string[]) {
  const { store, credentials } = await serviceWorld();
  await store.write(async (database) => {
    const rows = ids.map((id) => ({ id, workspaceId: credentials.workspaceId, apiKeyName: '', type: 'testing' }));
    await database.insertInto('apiKeys').values(rows).execute();
  });
  const { select, built } = keysQuery();
  const run = async (given: Given) => (await store.read((database) => select(database, given))).map(({ id }) => id);
  return { run, built };
}

describe('a prepared query', () => {
  it('answers as one that is built each time, whatever is given in whatever order', async () => {
    const known = ['a', 'b', 'c', '?', '{id:?}'];
    const { run } = await withKeys(known);
    const id = fc.constantFrom(...known, 'unknown');
    const filters = fc.record(
      { id, ids: fc.array(id, { minLength: 1, maxLength: 3 }), sorted: fc.boolean() },
      { requiredKeys: [] },
    );
    const agrees = fc.asyncProperty(filters, async (given) => {
      const expected = known.filter((each) => (given.id ?? each) === each && (given.ids ?? [each]).includes(each));
      const found = (await run(given)).filter((each) => known.includes(each));
      expect(found.toSorted()).toEqual(expected.toSorted());
      if (given.sorted) expect(found).toEqual(found.toSorted().reverse());
    });
    await fc.assert(agrees);
  });

  it('is built once for each shape', async () => {
    const { run, built } = await withKeys(['a', 'b']);
    for (const id of ['a', 'b', 'c']) await run({ id });
    expect(built()).toBe(1);
    await run({ ids: ['a'] });
    await run({ ids: ['b', 'a'] });
    await run({ ids: ['a', 'c'] });
    expect(built()).toBe(3);
  });

  it('takes null for a value', async () => {
    const { run } = await withKeys(['a']);
    expect(await run({ id: null })).toEqual([]);
    expect(await run({ id: 'a' })).toEqual(['a']);
  });
});
