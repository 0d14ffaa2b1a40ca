import { afterEach, expect, it, vi } from 'vitest';
import { StringTable } from '../../../../src/bulk/source/xlsx/string-table.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

it.each([
  ['in a temporary file', undefined],
  ['without a temporary file', '/missing'],
])('returns texts of any length, also across its buffers, %s', (_, folder) => {
  vi.stubEnv('TMPDIR', folder);
  const table = new StringTable();
  const texts = [
    '',
    'ü'.repeat(600_000),
    'a',
    '',
    '\u{1f600}'.repeat(2_000_000),
    ...Array.from({ length: 70_000 }, (_, at) => `text ${at}`),
  ];
  for (const text of texts) table.add(text);
  expect(table.length).toBe(texts.length);
  expect(texts.findIndex((text, at) => table.get(at) !== text)).toBe(-1);
  expect(texts.findLastIndex((text, at) => table.get(at) !== text)).toBe(-1);
  expect([table.get(texts.length), table.get(-1), table.get(0.5)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  table.close();
});

it('refuses a flood of short texts', () => {
  const table = new StringTable();
  expect(() => {
    for (let count = 0; count < 1_100_001; count += 1) table.add('');
  }).toThrow('it has too many short texts');
});
