import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Column } from '../../src/catalog/define.ts';
import { escapeMarkdown, formatCodeBlock } from '../../src/output/markdown.ts';
import { anyText } from './arbitraries.ts';
import { pagesOf, printedRecords, printedValue, writes } from './printed.ts';

const columns: readonly Column[] = [
  { header: 'ID', field: 'id', kind: 'whole' },
  { header: 'NAME', field: 'documentName' },
];

it('prints a list as a table, page by page if the columns are known', async () => {
  const pages = pagesOf([{ id: 'd1', documentName: 'Plan', ignored: 1 }], [{ id: 'd2' }]);
  expect(await writes('markdown', {}, (printer) => printer.records(pages, { columns }))).toEqual([
    '| ID | NAME |\n| --- | --- |\n',
    '| d1 | Plan |\n',
    '| d2 |  |\n',
  ]);
  expect(await printedRecords('markdown', [], { columns })).toBe('| ID | NAME |\n| --- | --- |\n');
  expect(await printedRecords('markdown', [])).toBe('');
});

it('prints the fields of all records without columns, and selected fields only', async () => {
  const records = [{ a: 1, b: [true] }, { c: { d: 'x' } }];
  expect(await printedRecords('markdown', records)).toBe(
    '| A | B | C |\n| --- | --- | --- |\n| 1 | true |  |\n|  |  | {"d"\\:"x"} |\n',
  );
  expect(await printedRecords('markdown', records, {}, { fields: ['a'], headers: false })).toBe(
    '|  |\n| --- |\n| 1 |\n|  |\n',
  );
});

it('prints a value as a table of its fields', async () => {
  expect(await printedValue('markdown', { id: 'a', list: ['x', 'y'] })).toBe(
    '| FIELD | VALUE |\n| --- | --- |\n| id | a |\n| list | x, y |\n',
  );
  expect(await printedValue('markdown', 'text')).toBe('text\n');
  expect(await printedValue('markdown', {})).toBe('');
});

it('prints the text of a table format as a code block, in a plain form', async () => {
  const renderText = ({ color, width }: { color: boolean; width: number | undefined }) =>
    `${color} ${width}\n`;
  const shape = { renderText };
  expect(await printedValue('markdown', {}, shape, { color: true, terminal: 20 })).toBe(
    '```\nfalse undefined\n```\n',
  );
  const custom = { ...shape, renderMarkdown: () => '# own\n' };
  expect(await printedValue('markdown', {}, custom)).toBe('# own\n');
  expect(await printedValue('markdown', { a: 1 }, custom, { fields: ['a'] })).toBe(
    '| FIELD | VALUE |\n| --- | --- |\n| a | 1 |\n',
  );
});

it('keeps each text in its cell, and as text', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const escaped = escapeMarkdown(text);
      expect(escaped).not.toMatch(/[\n\r\u2028\u202e]/);
      const rest = escaped.replaceAll('&#8203;', '');
      expect(rest.replace(/\\[!-/:-@[-`{-~]/g, '')).not.toMatch(/[|`<>[\]*_~#]/);
    }),
  );
});

it('separates the sign of a mention from the name, but keeps addresses whole', () => {
  expect(escapeMarkdown('@all (@ada) #12 a/b#3 ada@example.com # @')).toBe(
    '\\@&#8203;all (\\@&#8203;ada) \\#&#8203;12 a/b\\#&#8203;3 ada\\@example.com \\# \\@',
  );
});

it('ends a code block only after the text', () => {
  const block = formatCodeBlock('a\n```\n````js\nb');
  expect(block).toBe('`````\na\n```\n````js\nb\n`````\n');
  expect(formatCodeBlock('')).toBe('');
});
