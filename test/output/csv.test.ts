import * as fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import type { Column } from '../../src/catalog/define.ts';
import { safeText } from '../../src/kernel/safe-text.ts';
import { anyText } from './arbitraries.ts';
import { pagesOf, printedRecords, printedValue, writes } from './printed.ts';

const columns: readonly Column[] = [
  { header: 'ID', field: 'id', kind: 'whole' },
  { header: 'NAME', field: 'documentName' },
];

describe('csv', () => {
  it('is RFC 4180 with field names at the head', async () => {
    const records = [
      { id: 'd1', documentName: 'Q3, "plan"', ignored: 1 },
      { id: 'd2', documentName: 'two\nlines' },
      { id: 'd3', documentName: null },
    ];
    expect(await printedRecords('csv', records, { columns })).toBe(
      'id,documentName\r\nd1,"Q3, ""plan"""\r\nd2,"two\nlines"\r\nd3,\r\n',
    );
    expect(await printedRecords('csv', [records[2]], { columns }, { headers: false })).toBe('d3,\r\n');
  });

  it('takes the fields of all records when no operation names columns, and nests JSON', async () => {
    const written = await writes('csv', {}, (printer) =>
      printer.records(pagesOf([{ a: 1, b: [true] }], [{ c: { d: -2 } }]), {}),
    );
    expect(written.join('')).toBe('a,b,c\r\n1,[true],\r\n,,"{""d"":-2}"\r\n');
  });

  it('writes page by page when the columns are known', async () => {
    const pages = pagesOf([{ id: 'a' }], [{ id: 'b' }]);
    expect(await writes('csv', {}, (printer) => printer.records(pages, { columns }))).toEqual([
      'id,documentName\r\na,\r\n',
      'b,\r\n',
    ]);
  });

  it('of no records is its header', async () => {
    expect(await printedRecords('csv', [], { columns })).toBe('id,documentName\r\n');
    expect((await writes('csv', {}, (printer) => printer.records(pagesOf(), { columns }))).join('')).toBe(
      'id,documentName\r\n',
    );
    expect(await printedRecords('csv', [])).toBe('');
  });

  it('of one value is one line', async () => {
    expect(await printedValue('csv', { id: 'w1', owner: { name: 'Ada' } })).toBe(
      'id,owner\r\nw1,"{""name"":""Ada""}"\r\n',
    );
    expect(await printedValue('csv', 'text')).toBe('value\r\ntext\r\n');
  });

  it.each(['=1+1', '+1', '-1', '@x', '\t=1', '\r=1', '＝1', '＋1', '－1', '＠x'])(
    'keeps %j from being a formula',
    async (text) => {
      const [cell] = Papa.parse<string[]>(await printedRecords('csv', [text], {}, { headers: false })).data[0] ?? [];
      expect(cell).toBe(`'${text}`);
    },
  );

  it('keeps an empty cell that is alone in its line', async () => {
    expect(await printedRecords('csv', ['a', '', 'b'], {}, { headers: false })).toBe('a\r\n""\r\nb\r\n');
  });

  it('leaves a negative number a number', async () => {
    expect(await printedRecords('csv', [-5], {}, { headers: false })).toBe('-5\r\n');
  });

  it('shows a terminal nothing unsafe', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const written = await printedRecords('csv', [{ id: text }], { columns }, { terminal: 80 });
        for (const line of written.split('\r\n')) expect(safeText(line)).toBe(line);
      }),
    );
  });

  it('gives a parser back what went in', async () => {
    const notFormula = anyText.filter((text) => !/^[=+\-@\t\r＝＋－＠]/.test(text) && text.isWellFormed());
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ id: notFormula, documentName: notFormula }), { minLength: 1 }),
        async (records) => {
          const text = await printedRecords('csv', records, { columns });
          const parsed = Papa.parse<Record<string, string>>(text, {
            header: true,
            skipEmptyLines: true,
          });
          expect(parsed.errors).toEqual([]);
          expect(parsed.data).toEqual(records);
        },
      ),
    );
  });
});
