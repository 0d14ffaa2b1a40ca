import { describe, expect, it } from 'vitest';
import type { BulkRecord } from '../../src/bulk/batches.ts';
import { readCheckedRecords } from '../../src/bulk/checked-records.ts';
import { formatDiagnostic } from '../../src/bulk/diagnostic.ts';
import { FindingCollector } from '../../src/bulk/finding-collector.ts';
import { checkRecords } from '../../src/bulk/record-check.ts';
import type { RecordRules } from '../../src/bulk/record-checker.ts';
import { createMemoryInput } from '../../src/bulk/record-input.ts';
import { bulkFieldsOf } from '../../src/catalog/bulk-fields.ts';
import { users } from '../../src/catalog/users.ts';
import { SLOW } from '../slow.ts';

const rules = (given: Partial<RecordRules> = {}): RecordRules => ({
  fields: bulkFieldsOf(users['users.add']),
  shared: {},
  duplicates: 'fail',
  generateId: String,
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
  const input = createMemoryInput('users.json', values);
  const surveyed = await checkRecords(input, rules(given), new AbortController().signal);
  const [records, leftOut]: [BulkRecord[], BulkRecord[]] = [[], []];
  if (surveyed.diagnosticCount === 0) {
    for await (const block of readCheckedRecords(input, rules(given), surveyed)) {
      records.push(...block.records.map(plain));
      leftOut.push(...block.skipped.map(plain));
    }
    expect([surveyed.records, surveyed.skipped]).toEqual([records.length, leftOut.length]);
    expect([...records, ...leftOut]).toContainEqual(surveyed.first && plain(surveyed.first));
  }
  const findings = surveyed.diagnostics.map(formatDiagnostic);
  return { ...surveyed, findings, findingCount: surveyed.diagnosticCount, records, leftOut };
}

describe('checking records', () => {
  it('reports line, field, and problem of every mistake', async () => {
    const { findings } = await check([
      { userId: 'a' },
      { name: 'x' },
      { userId: '', email: false },
      { userId: 12, name: ['x'] },
      'a',
      null,
    ]);
    expect(findings).toEqual([
      'users.json:2: userId: is required',
      'users.json:3: userId: is empty',
      'users.json:3: email: expected text, got false',
      'users.json:4: userId: expected text, got a number: put it in quotes',
      'users.json:4: name: expected text, got a list',
      'users.json:5: the record: expected an object, got text',
      'users.json:6: the record: expected an object, got null',
    ]);
  });

  it('counts all problems and keeps the first hundred', async () => {
    const { findings, findingCount } = await check(Array(150).fill({}));
    expect(findings).toHaveLength(100);
    expect(findingCount).toBe(150);
  });

  it.each([
    ['records', Array(200_000).fill([])],
    ['duplicates', Array(200_000).fill({ userId: 'a' })],
  ])('stops after 100,000 problems of %s', SLOW, async (_, values) => {
    const { findingCount, isIncomplete, warnings } = await check(values);
    expect(findingCount).toBe(100_000);
    expect(isIncomplete).toBe(true);
    expect(warnings.map(({ message }) => message)).toEqual([
      'the check stopped here, after 100,000 problems',
    ]);
  });

  it('keeps unknown fields', async () => {
    const value = JSON.parse('{"userId":"__proto__","__proto__":1,"extra":[true]}');
    const { records } = await check([value]);
    expect(records[0]?.value).toBe(value);
    expect(records[0]?.json).toBe('{"userId":"__proto__","__proto__":1,"extra":[true]}');
  });
});

describe('records with the same ID', () => {
  const values = ['__proto__', 'b', '__proto__', 'c', 'b'].map((userId, at) => ({
    userId,
    name: `n${at}`,
  }));
  const lines = (records: readonly BulkRecord[]) => records.map(({ line }) => line);

  it('are reported with both lines', async () => {
    const { findings } = await check(values);
    expect(findings).toEqual([
      "users.json:3: userId: '__proto__' is already on line 1",
      "users.json:5: userId: 'b' is already on line 2",
    ]);
  });

  it('are resolved to the first or the last on request', async () => {
    const first = await check(values, { duplicates: 'first' });
    expect([lines(first.records), lines(first.leftOut), first.findings]).toEqual([
      [1, 2, 4],
      [3, 5],
      [],
    ]);
    const last = await check(values, { duplicates: 'last' });
    expect([lines(last.records), lines(last.leftOut), last.findings]).toEqual([
      [3, 4, 5],
      [1, 2],
      [],
    ]);
  });
});

describe('shards', () => {
  it('assign each record to exactly one machine', async () => {
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

it('findings of a flood are passed on in chunks', () => {
  const collector = new FindingCollector();
  for (let line = 1; line <= 2_500; line += 1)
    collector.addToFile({ line, message: 'the ID is repeated' });
  const chunks = [...collector.takeDiagnostics()];
  expect(chunks.map(({ length }) => length)).toEqual([1_000, 1_000, 500]);
  expect(chunks.flat().map(({ line }) => line)).toEqual(
    Array.from({ length: 2_500 }, (_, at) => at + 1),
  );
});
