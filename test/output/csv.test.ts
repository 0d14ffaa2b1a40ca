import * as fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import type { Column } from '../../src/catalog/define.ts';
import { neutralizeFormula } from '../../src/kernel/formula-text.ts';
import { escapeForTerminal } from '../../src/kernel/safe-text.ts';
import { SLOW } from '../slow.ts';
import { anyText } from './arbitraries.ts';
import { pagesOf, printedRecords, printedValue, writes } from './printed.ts';

const columns: readonly Column[] = [
  { header: 'ID', field: 'id', kind: 'whole' },
  { header: 'NAME', field: 'documentName' },
];

describe('csv', () => {
  it('begins with a byte order mark if it is asked for, once', async () => {
    const pages = pagesOf([{ id: 'ä' }], [{ id: 'b' }]);
    const columns: readonly Column[] = [{ header: 'ID', field: 'id' }];
    const parts = await writes('csv', { bom: true }, (printer) =>
      printer.records(pages, { columns }),
    );
    expect(parts.join('')).toBe('\ufeffid\r\nä\r\nb\r\n');
    expect(await printedValue('csv', { id: 'ä' }, {}, { bom: true })).toBe('\ufeffid\r\nä\r\n');
    expect(await printedRecords('csv', [], { columns }, { bom: true })).toBe('\ufeffid\r\n');
  });

  it('is RFC 4180 with a header of field names', async () => {
    const records = [
      { id: 'd1', documentName: 'Q3, "plan"', ignored: 1 },
      { id: 'd2', documentName: 'two\nlines' },
      { id: 'd3', documentName: null },
    ];
    expect(await printedRecords('csv', records, { columns })).toBe(
      'id,documentName\r\nd1,"Q3, ""plan"""\r\nd2,"two\nlines"\r\nd3,\r\n',
    );
    expect(await printedRecords('csv', [records[2]], { columns }, { headers: false })).toBe(
      'd3,\r\n',
    );
  });

  it('has the fields of all records if no operation defines columns, and nests JSON', async () => {
    const written = await writes('csv', {}, (printer) =>
      printer.records(pagesOf([{ a: 1, b: [true] }], [{ c: { d: -2 } }]), {}),
    );
    expect(written.join('')).toBe('a,b,c\r\n1,[true],\r\n,,"{""d"":-2}"\r\n');
  });

  it('is written page by page if the columns are known', async () => {
    const pages = pagesOf([{ id: 'a' }], [{ id: 'b' }]);
    expect(await writes('csv', {}, (printer) => printer.records(pages, { columns }))).toEqual([
      'id,documentName\r\na,\r\n',
      'b,\r\n',
    ]);
  });

  it('without records is its header', async () => {
    expect(await printedRecords('csv', [], { columns })).toBe('id,documentName\r\n');
    expect(
      (await writes('csv', {}, (printer) => printer.records(pagesOf(), { columns }))).join(''),
    ).toBe('id,documentName\r\n');
    expect(await printedRecords('csv', [])).toBe('');
  });

  it('for one value is one line', async () => {
    expect(await printedValue('csv', { id: 'w1', owner: { name: 'Ada' } })).toBe(
      'id,owner\r\nw1,"{""name"":""Ada""}"\r\n',
    );
    expect(await printedValue('csv', 'text')).toBe('value\r\ntext\r\n');
  });

  it.each(['=1+1', '+1', '-1', '@x', '\tx', '\rx', '＝1', '＋1', '－1', '＠x'])(
    'keeps %j from being a formula',
    async (text) => {
      const [cell] =
        Papa.parse<string[]>(await printedRecords('csv', [text], {}, { headers: false })).data[0] ??
        [];
      expect(cell).toBe(`'${text}`);
    },
  );

  it('keeps an empty cell that is alone on its line', async () => {
    expect(await printedRecords('csv', ['a', '', 'b'], {}, { headers: false })).toBe(
      'a\r\n""\r\nb\r\n',
    );
  });

  it('keeps a negative number as a number', async () => {
    expect(await printedRecords('csv', [-5], {}, { headers: false })).toBe('-5\r\n');
  });

  it('is escaped for a terminal', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const written = await printedRecords('csv', [{ id: text }], { columns }, { terminal: 80 });
        for (const line of written.split('\r\n')) expect(escapeForTerminal(line)).toBe(line);
      }),
    );
  });

  it('is read back unchanged by a parser', SLOW, async () => {
    const notFormula = anyText.filter(
      (text) => neutralizeFormula(text) === text && text.isWellFormed(),
    );
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
