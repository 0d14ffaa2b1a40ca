import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadOperation } from '../../src/catalog/index.ts';
import { manifest } from '../../src/catalog/manifest.ts';
import { findUnexpectedValue } from '../../src/client/data-check.ts';
import { SLOW } from '../slow.ts';

async function outputOf(name: string) {
  const entry = manifest.find((known) => known.name === name);
  if (!entry) throw new Error(`no operation ${name}`);
  return (await loadOperation(entry.resource, entry.name)).output;
}

/** Runs a check to its end. Counts its steps, between which a caller may interrupt it. */
function check(
  schema: Awaited<ReturnType<typeof outputOf>>,
  data: unknown,
  options: { readonly strict: boolean; readonly large: boolean },
) {
  const steps = findUnexpectedValue(data, schema, options);
  for (let count = 0; ; count += 1) {
    const step = steps.next();
    if (step.done) return { path: step.value, count };
  }
}

const LISTS = ['webhooks.endpoints.list', 'agents.list', 'auth-tokens.list'] as const;
const FIELDS = { 'webhooks.endpoints.list': 'endpoints', 'agents.list': 'agents' } as const;
const fieldOf = (name: (typeof LISTS)[number]) =>
  name === 'auth-tokens.list' ? 'authTokens' : FIELDS[name];

describe('the check of a response', () => {
  it.each(LISTS)(
    'rejects a list of empty records in a field at the first one: %s',
    SLOW,
    async (name) => {
      const schema = await outputOf(name);
      const data = { [fieldOf(name)]: Array.from({ length: 10_000 }, () => ({})) };
      for (const large of [false, true]) {
        const { path, count } = check(schema, data, { strict: false, large });
        expect(path?.slice(0, 2)).toEqual([fieldOf(name), 0]);
        expect(count).toBeLessThan(20);
      }
    },
  );

  it.each(LISTS)('takes few steps per record with missing fields: %s', async (name) => {
    const schema = await outputOf(name);
    const data = { [fieldOf(name)]: Array.from({ length: 1_000 }, () => ({ other: 1 })) };
    const { path, count } = check(schema, data, { strict: false, large: true });
    expect(path).toBeUndefined();
    expect(count).toBeLessThan(4_000);
  });

  it('has the same verdict value by value and at once', SLOW, async () => {
    const value = fc.constantFrom('a', 'https://example.com/', 1, true, null, {}, ['a'], [{}]);
    const names = fc.constantFrom(
      'id',
      'url',
      'name',
      'description',
      'channels',
      'filterTypes',
      'disabled',
      'metadata',
      'createdAt',
      'updatedAt',
      'uid',
      'rateLimit',
      'folderId',
      'documentId',
      'other',
    );
    const record = fc.dictionary(names, value, { maxKeys: 12 });
    for (const [name, wrap] of [
      ['webhooks.endpoints.list', (records: unknown) => ({ endpoints: records, done: true })],
      ['folders.list', (records: unknown) => records],
      ['documents.list', (records: unknown) => records],
    ] as const) {
      const schema = await outputOf(name);
      fc.assert(
        fc.property(fc.array(record, { maxLength: 4 }), fc.boolean(), (records, strict) => {
          const data = wrap(records);
          const [atOnce, one] = [false, true].map((large) =>
            check(schema, data, { strict, large }),
          );
          expect(one?.path === undefined).toBe(atOnce?.path === undefined);
        }),
      );
    }
  });
});
