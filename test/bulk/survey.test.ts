import { describe, expect, it } from 'vitest';
import { findingText } from '../../src/bulk/finding.ts';
import { memoryInput } from '../../src/bulk/input.ts';
import { readChecked } from '../../src/bulk/readings.ts';
import type { BulkRecord } from '../../src/bulk/record.ts';
import { type RecordRules, survey } from '../../src/bulk/survey.ts';
import { bulkFieldsOf } from '../../src/catalog/bulk-fields.ts';
import { users } from '../../src/catalog/users.ts';

const rules = (given: Partial<RecordRules> = {}): RecordRules => ({
  fields: bulkFieldsOf(users['users.add']),
  shared: {},
  duplicates: 'fail',
  mint: String,
  ...given,
});

const plain = ({ id, index, line, value, text, jsonLine, json }: BulkRecord): BulkRecord => ({
  id,
  index,
  line,
  value,
  text,
  jsonLine,
  json,
});

async function check(values: readonly unknown[], given: Partial<RecordRules> = {}) {
  const input = memoryInput('users.json', values);
  const surveyed = await survey(input, rules(given), new AbortController().signal);
  const [records, leftOut]: [BulkRecord[], BulkRecord[]] = [[], []];
  if (surveyed.findingCount === 0) {
    for await (const block of readChecked(input, rules(given), surveyed)) {
      records.push(...block.records.map(plain));
      leftOut.push(...block.leftOut.map(plain));
    }
    expect([surveyed.records, surveyed.leftOut]).toEqual([records.length, leftOut.length]);
    expect([...records, ...leftOut]).toContainEqual(surveyed.first && plain(surveyed.first));
  }
  const findings = surveyed.findings.map(findingText);
  return { ...surveyed, findings, findingCount: surveyed.findingCount, records, leftOut };
}

describe('checking records', () => {
  it('names line, field and problem of every mistake', async () => {
    const { findings } = await check([
      { userId: 'a' },
      { name: 'x' },
      { userId: '', email: false },
      { userId: 12, name: ['x'] },
      'a',
      null,
    ]);
    expect(findings).toEqual([
      'users.json:2: userId: is missing',
      'users.json:3: userId: is empty',
      'users.json:3: email: expected text, got false',
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

  it('keeps fields that it does not know', async () => {
    const value = JSON.parse('{"userId":"__proto__","__proto__":1,"extra":[true]}');
    const { records } = await check([value]);
    expect(records[0]?.value).toBe(value);
    expect(records[0]?.json).toBe('{"userId":"__proto__","__proto__":1,"extra":[true]}');
  });
});

describe('records with one id', () => {
  const values = ['__proto__', 'b', '__proto__', 'c', 'b'].map((userId, at) => ({ userId, name: `n${at}` }));
  const lines = (records: readonly BulkRecord[]) => records.map(({ line }) => line);

  it('are a mistake that names both lines', async () => {
    const { findings } = await check(values);
    expect(findings).toEqual([
      "users.json:3: userId: '__proto__' stands on line 1 already",
      "users.json:5: userId: 'b' stands on line 2 already",
    ]);
  });

  it('are settled by the first or the last on request', async () => {
    const first = await check(values, { duplicates: 'first' });
    expect([lines(first.records), lines(first.leftOut), first.findings]).toEqual([[1, 2, 4], [3, 5], []]);
    const last = await check(values, { duplicates: 'last' });
    expect([lines(last.records), lines(last.leftOut), last.findings]).toEqual([[3, 4, 5], [1, 2], []]);
  });
});

describe('shards', () => {
  it('share all records out, each to one machine', async () => {
    const values = Array.from({ length: 300 }, (_, at) => ({ userId: `u${at % 200}` }));
    const parts = await Promise.all(
      [1, 2, 3].map((part) => check(values, { duplicates: 'first', shard: { part, of: 3 } })),
    );
    const ids = parts.flatMap(({ records }) => records.map(({ id }) => id));
    expect(new Set(ids).size).toBe(200);
    expect(ids).toHaveLength(200);
    expect(parts.reduce((sum, { leftOut }) => sum + leftOut.length, 0)).toBe(100);
    expect(Math.min(...parts.map(({ records }) => records.length))).toBeGreaterThan(40);
  });
});
