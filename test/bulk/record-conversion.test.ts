import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { createRecordConverter } from '../../src/bulk/record-conversion.ts';
import type { RecordProblem } from '../../src/bulk/record-problem.ts';
import { PlainScalar } from '../../src/bulk/source/plain-scalar.ts';
import type { InputFormat } from '../../src/catalog/bulk-options.ts';

const schema = z.looseObject({
  id: z.string().check(z.minLength(1)),
  size: z.optional(z.number()),
  open: z.optional(z.boolean()),
  level: z.optional(z.enum(['1', '2'])),
  owner: z.optional(z.looseObject({ id: z.string(), admin: z.optional(z.boolean()) })),
  sizes: z.optional(z.array(z.number())),
  owners: z.optional(z.array(z.looseObject({ id: z.string() }))),
  switches: z.optional(z.record(z.string(), z.boolean())),
  either: z.optional(z.union([z.string(), z.number()])),
  anything: z.unknown(),
});
const convert = (value: unknown, format: InputFormat = 'csv', problems: RecordProblem[] = []) =>
  createRecordConverter(schema, format)(value, problems);
const plain = (text: string) => new PlainScalar(text);

describe('the text of a field', () => {
  it.each<[string, unknown, unknown]>([
    ['id', '0123', '0123'],
    ['id', 'true', 'true'],
    ['id', '{"a":1}', '{"a":1}'],
    ['level', '1', '1'],
    ['either', '5', '5'],
    ['anything', '5', '5'],
    ['stranger', 'true', 'true'],
    ['size', '12', 12],
    ['size', '-0.5e3', -500],
    ['size', '', ''],
    ['size', ' 12', ' 12'],
    ['size', '0x10', '0x10'],
    ['size', '012', '012'],
    ['size', 'Infinity', 'Infinity'],
    ['open', 'true', true],
    ['open', 'false', false],
    ['open', 'no', 'no'],
    ['open', 'TRUE', true],
    ['open', 'True', true],
    ['owner', '{"id":"u1","admin":true}', { id: 'u1', admin: true }],
    ['owner', '{"id":', '{"id":'],
    ['owner', '{"id":"u1","n":12345678901234567890}', '{"id":"u1","n":12345678901234567890}'],
    ['owner', { id: '1', admin: 'true' }, { id: '1', admin: true }],
    ['sizes', '[1,2]', [1, 2]],
    ['sizes', ['1', 'x'], [1, 'x']],
    ['switches', { a: 'true', b: 'no' }, { a: true, b: 'no' }],
  ])('%s: %j is %j', (field, text, value) => {
    expect(convert({ [field]: text })).toEqual({ [field]: value });
  });

  it('returns the record itself if nothing changes', () => {
    const record = {
      id: 'a',
      owner: { id: 'b' },
      sizes: [1, 2],
      owners: [{ id: 'c' }],
      stranger: '1',
    };
    for (const format of ['json', 'ndjson', 'csv'] as const)
      expect(convert(record, format)).toBe(record);
  });

  it('stays in its position for any field names', () => {
    const record = JSON.parse(
      '{"__proto__":"1","switches":{"__proto__":"true","constructor":"false"},"size":"1"}',
    );
    expect(Object.entries(convert(record) as object)).toEqual([
      ['__proto__', '1'],
      ['switches', JSON.parse('{"__proto__":true,"constructor":false}')],
      ['size', 1],
    ]);
  });

  it('is unchanged if it has its type already, or is not a record', () => {
    fc.assert(
      fc.property(
        fc.jsonValue().filter((value) => typeof value !== 'object'),
        (value) => {
          expect(convert(value)).toBe(value);
        },
      ),
    );
    const typed = { id: 'a', size: 1, open: true, sizes: [1], owner: { id: 'b', admin: false } };
    expect(convert(typed)).toEqual(typed);
  });
});

describe('a plain scalar of YAML', () => {
  it.each<[string, string, unknown]>([
    ['id', '123', '123'],
    ['id', 'true', 'true'],
    ['id', '12345678901234567890', '12345678901234567890'],
    ['id', '1e999', '1e999'],
    ['level', '1', '1'],
    ['size', '1.50', 1.5],
    ['open', 'True', true],
    ['either', '5', 5],
    ['either', 'true', 'true'],
    ['anything', '5', 5],
    ['anything', 'false', false],
    ['stranger', '-2', -2],
  ])('%s: %s is %j', (field, text, value) => {
    expect(convert({ [field]: plain(text) }, 'yaml')).toEqual({ [field]: value });
  });

  it('keeps its own type at any depth outside the schema', () => {
    const record = { anything: { a: [plain('1'), { b: plain('true'), c: '1', d: null }] } };
    expect(convert(record, 'yaml')).toEqual({ anything: { a: [1, { b: true, c: '1', d: null }] } });
  });

  it.each([
    ['anything', '1e999', 'the number 1e999 is too large: put it in quotes if it is text'],
    ['size', '1e999', 'the number 1e999 is too large: put it in quotes if it is text'],
    [
      'stranger',
      '12345678901234567890',
      'the number 12345678901234567890 would lose digits: put it in quotes: IDs are text',
    ],
  ])('%s: %s is rejected, not changed', (field, text, message) => {
    const problems: RecordProblem[] = [];
    convert({ [field]: plain(text) }, 'yaml', problems);
    expect(problems).toEqual([{ field, message }]);
  });

  it('alone is text', () => {
    expect(convert(plain('12'), 'yaml')).toBe('12');
  });
});

describe('null', () => {
  const record = {
    id: null,
    size: null,
    anything: null,
    stranger: null,
    owner: { id: 'b', admin: null, stranger: null },
    switches: { a: null, b: true },
  };

  it.each(['json', 'ndjson', 'yaml'] as const)(
    'is an absent field in %s, and a value in records that are sent unchanged',
    (format) => {
      expect(convert(record, format)).toEqual({
        owner: { id: 'b', stranger: null },
        switches: { b: true },
      });
      expect(convert({ anything: { a: null }, sizes: [null] }, format)).toEqual({
        anything: { a: null },
        sizes: [null],
      });
    },
  );

  it('is the same in a cell that contains JSON', () => {
    expect(convert({ owner: '{"id":"b","admin":null}' })).toEqual({ owner: { id: 'b' } });
  });
});

describe('a cell that contains JSON', () => {
  it('is rejected if it nests too deep or a number would change', () => {
    const problems: RecordProblem[] = [];
    convert(
      { sizes: `${'['.repeat(10_000)}${']'.repeat(10_000)}`, owner: '{"id":"a","n":1e999}' },
      'csv',
      problems,
    );
    expect(problems.toSorted((a, b) => (a.field ?? '').localeCompare(b.field ?? ''))).toEqual([
      { field: 'owner', message: 'the number 1e999 is too large' },
      { field: 'sizes', message: 'nested more than 100 levels deep' },
    ]);
  });
});
