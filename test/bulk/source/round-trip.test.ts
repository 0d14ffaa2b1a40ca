import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { neutralizeFormula } from '../../../src/kernel/formula-text.ts';
import { SLOW } from '../../slow.ts';
import { chunkSize, read, type User, users } from './read-records.ts';

/** Counts lines as editors do, by the text before an offset. */
function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split(/\r\n|\n|\r/).length;
}

const lineEnd = fc.constantFrom('\n', '\r\n', '\r');

function csvCell(value: string | undefined): string {
  return value === undefined ? '' : `"${neutralizeFormula(value).replaceAll('"', '""')}"`;
}

describe('records read back as they were written, with the line each stands on', () => {
  it('from a JSON array in any layout', SLOW, async () => {
    await fc.assert(
      fc.asyncProperty(
        users,
        fc.constantFrom(0, 1, 2, '\t'),
        lineEnd,
        chunkSize,
        async (list, indent, end, size) => {
          const text = JSON.stringify(list, null, indent).replaceAll('\n', end);
          const { records } = await read(text, 'json', size);
          expect(records.map(({ value }) => value)).toEqual(list);
          let from = 0;
          for (const record of records) {
            from = text.indexOf(record.text, from);
            expect(record.line).toBe(lineOf(text, from));
            from += record.text.length;
          }
        },
      ),
    );
  });

  it('from an object that holds the array', SLOW, async () => {
    await fc.assert(
      fc.asyncProperty(users, fc.jsonValue(), chunkSize, async (list, other, size) => {
        const { records, beside } = await read(
          JSON.stringify({ before: other, users: list, after: 1 }),
          'json',
          size,
        );
        expect(records.map(({ value }) => value)).toEqual(list);
        expect(beside).toHaveLength(other === null ? 1 : 2);
      }),
    );
  });

  it('from NDJSON, blank lines or not', SLOW, async () => {
    await fc.assert(
      fc.asyncProperty(users, lineEnd, fc.boolean(), chunkSize, async (list, end, last, size) => {
        const lines = list.flatMap((one, at) =>
          at % 3 === 1 ? ['', JSON.stringify(one)] : [JSON.stringify(one)],
        );
        fc.pre(lines.length > 0);
        const { records } = await read(lines.join(end) + (last ? end : ''), 'ndjson', size);
        expect(records.map(({ value }) => value)).toEqual(list);
        for (const record of records) expect(lines[record.line - 1]).toBe(record.text);
      }),
    );
  });

  it('from CSV, where an empty cell is an absent field', SLOW, async () => {
    await fc.assert(
      fc.asyncProperty(
        users,
        fc.constantFrom('\n', '\r\n'),
        fc.constantFrom(',', ';', '\t'),
        chunkSize,
        async (list, end, comma, size) => {
          const row = (one: User) => [one.userId, one.name, one.email].map(csvCell).join(comma);
          const header = ['userId', 'name', 'email'].join(comma);
          const rows = list.map(row);
          const text = [header, ...rows].join(end) + end;
          const { records, preamble } = await read(text, 'csv', size);
          expect(records.map(({ value }) => value)).toEqual(list);
          expect(records.map((record) => record.text)).toEqual(rows);
          expect(preamble).toBe(header);
          let from = header.length;
          for (const record of records) {
            from = text.indexOf(end + record.text, from) + end.length;
            expect(record.line).toBe(lineOf(text, from));
            from += record.text.length - end.length;
          }
        },
      ),
    );
  });

  it('from YAML, every scalar as text', SLOW, async () => {
    await fc.assert(
      fc.asyncProperty(users, fc.boolean(), async (list, wrapped) => {
        const text = stringify(wrapped ? { users: list } : list, { version: '1.1' });
        const { records } = await read(text, 'yaml');
        expect(records.map(({ value }) => value)).toEqual(list);
        for (const record of records)
          expect(text.split('\n')[record.line - 1]).toMatch(/^(\s*- )?./);
      }),
    );
  });
});

describe('the text of a record', () => {
  it('reads back to the same record', SLOW, async () => {
    await fc.assert(
      fc.asyncProperty(users, async (list) => {
        fc.pre(list.length > 0);
        const { records } = await read(stringify(list, { version: '1.1' }), 'yaml');
        const again = await read(records.map(({ text }) => text).join('\n'), 'yaml');
        expect(again.records.map(({ value }) => value)).toEqual(list);
      }),
    );
  });
});
