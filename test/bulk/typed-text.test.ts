import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { textConverter } from '../../src/bulk/typed-text.ts';

const schema = z.looseObject({
  id: z.string().min(1),
  size: z.number().optional(),
  open: z.boolean().optional(),
  level: z.enum(['1', '2']).optional(),
  owner: z.looseObject({ id: z.string(), admin: z.boolean().optional() }).optional(),
  sizes: z.array(z.number()).optional(),
  switches: z.record(z.string(), z.boolean()).optional(),
  either: z.union([z.string(), z.number()]).optional(),
  anything: z.unknown(),
});
const convert = (value: unknown) => textConverter(schema)?.(value);

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
    ['open', 'TRUE', 'TRUE'],
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

  it('needs no conversion where everything is text', () => {
    expect(textConverter(z.looseObject({ id: z.string(), name: z.string().optional() }))).toBeUndefined();
  });

  it('stays in its place whatever the names of fields are', () => {
    const record = JSON.parse('{"__proto__":"1","switches":{"__proto__":"true","constructor":"false"},"size":"1"}');
    expect(Object.entries(convert(record) as object)).toEqual([
      ['__proto__', '1'],
      ['switches', JSON.parse('{"__proto__":true,"constructor":false}')],
      ['size', 1],
    ]);
  });

  it('is left alone where it has its type already, or is no record at all', () => {
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
