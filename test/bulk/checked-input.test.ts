import { describe, expect, it } from 'vitest';
import { type CheckedInput, checkRecords } from '../../src/bulk/checked-input.ts';
import { withField } from '../../src/bulk/source/memory.ts';
import { bulkFieldsOf } from '../../src/catalog/bulk-fields.ts';
import { users } from '../../src/catalog/users.ts';
import { SvcError } from '../../src/kernel/errors.ts';

type Duplicates = 'fail' | 'first' | 'last';

async function* blocks(values: readonly unknown[], breaksOff?: SvcError) {
  yield values.map((value, at) => ({ value, text: JSON.stringify(value), line: at + 1, column: 1 }));
  if (breaksOff) throw breaksOff;
}

function check(
  values: readonly unknown[],
  duplicates: Duplicates = 'fail',
  breaksOff?: SvcError,
): Promise<CheckedInput> {
  const source = {
    name: 'users.json',
    format: 'json',
    blocks: blocks(values, breaksOff),
    preamble: () => '',
    withField,
  } as const;
  return checkRecords(source, { fields: bulkFieldsOf(users['users.add']), shared: {}, duplicates });
}

describe('checking records', () => {
  it('names line, field and problem of every mistake', async () => {
    const { findings } = await check([
      { userId: 'a' },
      { name: 'x' },
      { userId: '', email: null },
      { userId: 12, name: ['x'] },
      'a',
      null,
    ]);
    expect(findings).toEqual([
      'users.json:2: userId: is missing',
      'users.json:3: userId: is empty',
      'users.json:3: email: expected text, got null',
      'users.json:4: userId: expected text, got a number: put it in quotes',
      'users.json:4: name: expected text, got a list',
      'users.json:5: the record: expected an object of fields, got text',
      'users.json:6: the record: expected an object of fields, got null',
    ]);
  });

  it('counts all findings and keeps the first hundred', async () => {
    const { findings, findingCount } = await check(Array(150).fill({}));
    expect(findings).toHaveLength(100);
    expect(findingCount).toBe(150);
  });

  it('adds the reason why an input breaks off to what was found before', async () => {
    const cut = new SvcError('bad_data', 'users.json:9:1: cut');
    expect((await check([{}], 'fail', cut)).findings).toEqual([
      'users.json:1: userId: is missing',
      'users.json:9:1: cut',
    ]);
    await expect(check([{ userId: 'a' }], 'fail', cut)).rejects.toBe(cut);
  });

  it('keeps fields that it does not know', async () => {
    const value = JSON.parse('{"userId":"__proto__","__proto__":1,"extra":[true]}');
    const { records } = await check([value]);
    expect(records[0]?.value).toBe(value);
  });
});

describe('records with one id', () => {
  const values = ['__proto__', 'b', '__proto__', 'c', 'b'].map((userId, at) => ({ userId, name: `n${at}` }));
  const lines = (records: CheckedInput['records']) => records.map(({ line }) => line);

  it('are a mistake that names both lines', async () => {
    const { findings } = await check(values);
    expect(findings).toEqual([
      "users.json:3: userId: '__proto__' stands on line 1 already",
      "users.json:5: userId: 'b' stands on line 2 already",
    ]);
  });

  it('are settled by the first or the last on request', async () => {
    const first = await check(values, 'first');
    expect([lines(first.records), lines(first.duplicates), first.findings]).toEqual([[1, 2, 4], [3, 5], []]);
    const last = await check(values, 'last');
    expect([lines(last.records), lines(last.duplicates), last.findings]).toEqual([[3, 4, 5], [1, 2], []]);
  });
});
