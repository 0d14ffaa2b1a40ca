import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FieldMap, withRenamedFields } from '../../../src/bulk/source/field-map.ts';
import { createMemorySource } from '../../../src/bulk/source/memory-source.ts';
import type { SourceRecord } from '../../../src/bulk/source/source.ts';

const name = fc.constantFrom('a', 'b', 'c', 'd', '__proto__', 'constructor', '10', 'with space');
const record = fc.dictionary(name, fc.integer(), { noNullPrototype: false });
const pairs = fc.uniqueArray(
  fc.tuple(name, fc.constantFrom('x', 'y', '__proto__', 'constructor', '')),
  {
    selector: ([from]) => from,
  },
);

async function renamed(values: readonly unknown[], names: readonly (readonly [string, string])[]) {
  const source = withRenamedFields(
    createMemorySource('u.json', values),
    new FieldMap(new Map(names)),
  );
  const records: SourceRecord[] = [];
  for await (const block of source.recordChunks) records.push(...block);
  return { source, records };
}

describe('fields that are renamed', () => {
  it('keep their values, and the record its text and place; two of one name are refused', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { minLength: 1, maxLength: 4 }),
        pairs,
        async (values, names) => {
          const map = new Map<string, string>(names);
          const { records } = await renamed(values, names);
          for (const [at, value] of values.entries()) {
            const fields = Object.entries(value).map(
              ([from, inner]) => [map.get(from) ?? from, inner] as const,
            );
            const kept = fields.filter(([field]) => field !== '');
            const one = records[at];
            expect([one?.text, one?.line, one?.column]).toEqual([JSON.stringify(value), at + 1, 1]);
            if (new Set(kept.map(([field]) => field)).size < kept.length) {
              expect(() => one?.value).toThrow(/^u\.json:\d+:1: .* both map to /);
            } else
              expect(Object.entries(Object(one?.value)).toSorted()).toEqual([...kept].toSorted());
          }
        },
      ),
    );
  });

  it('keep values that are not records, and return a record with an ID unchanged', async () => {
    const { source, records } = await renamed(['u1', { Login: 'x' }], [['Login', 'name']]);
    expect(records[0]?.value).toBe('u1');
    const [, second] = records;
    expect(second && source.withField(second, 'userId', 'made-up')).toBe(
      '{"Login":"x","userId":"made-up"}',
    );
    expect(source.isVerbatim).toBe(false);
  });
});
