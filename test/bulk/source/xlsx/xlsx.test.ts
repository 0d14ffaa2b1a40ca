import { writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openInputFile } from '../../../../src/bulk/input-file.ts';
import { createTemporaryFolder } from '../../../temporary-folder.ts';
import { createWorkbook, createZip, type Parts, workbookParts } from './workbook-file.ts';

const FILES = fileURLToPath(new URL('files/', import.meta.url));
const HEADER =
  '<row r="1"><c r="A1" t="inlineStr"><is><t>userId</t></is></c><c r="B1" t="inlineStr"><is><t>name</t></is></c></row>';

async function read(path: string, sheet?: string) {
  const input = await openInputFile({
    file: path,
    cwd: FILES,
    sheet,
    stdin: Readable.from([]),
    spool: '',
    signal: new AbortController().signal,
    listName: 'users',
    knownFields: ['userId', 'name'],
    targetFields: [],
    id: 'userId',
  });
  const source = await input.open();
  const records: unknown[] = [];
  const texts: string[] = [];
  for await (const chunk of source.recordChunks)
    for (const { line, text, value } of chunk) {
      records.push([line, value]);
      texts.push(text);
    }
  return { source, records, texts, fingerprint: input.fingerprint() };
}

async function write(bytes: Uint8Array, name = 'u.xlsx') {
  const path = join(await createTemporaryFolder(), name);
  await writeFile(path, bytes);
  return path;
}

/** Reads the cells of row 2 from its XML. */
async function readCells(cells: string, parts: Omit<Parts, 'rows'> = {}) {
  const rows = `${HEADER}<row r="2">${cells}</row>`;
  const { records } = await read(await write(createWorkbook({ rows, ...parts })));
  const [[, value] = []] = records as [number, Record<string, string>][];
  return value;
}

const refusalOf = async (bytes: Uint8Array, name?: string, sheet?: string) => {
  const path = await write(bytes, name);
  const error = await read(path, sheet).then(
    () => undefined,
    (thrown) => thrown,
  );
  return String(error?.message).replace(dirname(path) + sep, '');
};

describe('a workbook of LibreOffice', () => {
  it('is read as the text that the sheet shows', async () => {
    const { records, texts, source } = await read('users.xlsx');
    expect(records).toEqual([
      [2, { userId: '0123', name: 'Müller 🌻', note: '=1+1' }],
      [3, { userId: '00123', name: "'=quoted", note: '1' }],
      [4, { userId: '123456789012', name: 'a, "b"', note: '2026-11-26' }],
      [5, { userId: 'u7', name: 'formula', note: '#DIV/0!' }],
      [6, { userId: '12345678901', name: 'short', note: '0.5' }],
      [8, { userId: 'rich', name: 'two  spaces' }],
    ]);
    expect(texts[0]).toBe("0123,Müller 🌻,'=1+1");
    expect(source.preamble()).toBe('userId,name,note');
    expect(source.cellOf?.(4, 'name')).toBe('Users!B4');
    expect(source.warnings?.()).toEqual([
      { line: 1, message: "only the sheet 'Users' is read; to read 'More users', add --sheet" },
    ]);
  });

  it('has other sheets, which can be hidden', async () => {
    expect((await read('users.xlsx', 'More users')).records).toEqual([[2, { userId: 'm1' }]]);
    await expect(read('users.xlsx', 'Old')).rejects.toThrow(
      "users.xlsx:Old!A1: the column 'userId' is missing",
    );
    await expect(read('users.xlsx', 'Usres')).rejects.toMatchObject({
      failure: 'usage',
      message: "--sheet: users.xlsx has no sheet 'Usres'",
      hint: "did you mean 'Users'?",
    });
  });

  it('has the same records in each reading', async () => {
    const [first, second] = [await read('users.xlsx'), await read('users.xlsx')];
    expect(second.records).toEqual(first.records);
    expect(second.fingerprint).toEqual(first.fingerprint);
  });
});

it('a workbook with dates from 1904 starts at its first visible sheet, in any column', async () => {
  const { records, source } = await read('1904.xlsx');
  expect(records).toEqual([
    [3, { userId: 'u1', name: 'Ada', joined: '2026-11-26', active: 'TRUE' }],
    [4, { userId: '007', name: 'Bo', joined: '2026-01-02T03:04:05', active: 'FALSE' }],
  ]);
  expect(source.cellOf?.(3, 'name')).toBe("'Ada''s list'!C3");
});

describe('numbers', () => {
  const formats = [
    '00000',
    '000-00',
    '0.00',
    '#,##0.00',
    '"EMP-"0000',
    'h:mm',
    '[h]:mm',
    'yyyy\\-mm\\-dd hh:mm',
    '0.00E+00',
  ];
  const styles = `<numFmts>${formats
    .map(
      (code, at) =>
        `<numFmt numFmtId="${164 + at}" formatCode="${code.replaceAll('"', '&quot;')}"/>`,
    )
    .join(
      '',
    )}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${formats
    .map((_, at) => `<xf numFmtId="${164 + at}"/>`)
    .join('')}<xf numFmtId="14"/><xf numFmtId="49"/></cellXfs>`;

  it.each([
    [0, '123456789012', '123456789012'],
    [0, '999999999999999', '999999999999999'],
    [0, '1.234E+5', '123400'],
    [0, '0.30000000000000004', '0.3'],
    [0, '-7', '-7'],
    [0, '0', '0'],
    [1, '123', '00123'],
    [2, '12345', '123-45'],
    [3, '2.5', '2.50'],
    [4, '1234.5', '1,234.50'],
    [5, '7', 'EMP-0007'],
    [6, '0.5', '12:00:00'],
    [7, '1.5', '36:00'],
    [8, '45000.25', '2023-03-15T06:00:00'],
    [10, '59', '1900-02-28'],
    [10, '61', '1900-03-01'],
    [11, '42', '42'],
    [99, '42', '42'],
  ])('in style %i: %s is %s', async (style, stored, text) => {
    const cell = `<c r="A2" s="${style}"><v>${stored}</v></c>`;
    expect((await readCells(cell, { styles }))?.['userId']).toBe(text);
  });

  it.each([
    [0, '1.2345678901234567E+17'],
    [1, '1234567890123456'],
    [9, '123456789012'],
  ])('in style %i: %s lost digits', async (style, stored) => {
    const cell = `<c r="A2" s="${style}"><v>${stored}</v></c>`;
    await expect(readCells(cell, { styles })).rejects.toThrow(
      /u\.xlsx:Sheet1!A2: the sheet does not show all digits of the number$/,
    );
  });
});

describe('cells', () => {
  it.each([
    ['<c r="A2" t="b"><v>1</v></c>', 'TRUE'],
    ['<c r="A2" t="e"><v>#N/A</v></c>', '#N/A'],
    ['<c r="A2" t="d"><v>2026-11-26</v></c>', '2026-11-26'],
    ['<c r="A2" t="str"><f>A1</f><v>x_x0041_</v></c>', 'xA'],
    [
      '<c r="A2" t="inlineStr"><is><r><t>a</t></r><r><t xml:space="preserve"> b</t></r></is></c>',
      'a b',
    ],
    ['<c r="A2" t="s"><v>0</v></c>', '山田'],
    ['<c t="s"><v>0</v></c>', '山田'],
    ['<x:c xmlns:x="x" r="A2" t="str"><x:v>&lt;&amp;&#233;</x:v></x:c>', '<&é'],
  ])('%s', async (cell, text) => {
    const strings = '<si><t>山田</t><rPh sb="0" eb="2"><t>ヤマダ</t></rPh></si>';
    expect((await readCells(cell, { strings }))?.['userId']).toBe(text);
  });

  it('of a formula without a stored result are a problem, unless the column is dropped', async () => {
    await expect(readCells('<c r="A2"><f>1+1</f></c>')).rejects.toThrow(
      'Sheet1!A2: the formula has no stored result',
    );
  });

  it('outside the header are a problem', async () => {
    const cells = '<c r="A2" t="str"><v>a</v></c><c r="D2"><v>1</v></c>';
    await expect(readCells(cells)).rejects.toThrow(
      'Sheet1!D2: the cell is outside the columns of the header',
    );
  });
});

it('merged cells are a warning', async () => {
  const rows = `${HEADER}<row r="2"><c r="A2" t="str"><v>a</v></c></row>`;
  const after = '<mergeCells><mergeCell ref="A2:A3"/><mergeCell ref="B2:B3"/></mergeCells>';
  const { source } = await read(await write(createWorkbook({ rows, after })));
  expect(source.warnings?.()).toEqual([
    { line: 1, message: 'of merged cells, only the first has a value: A2:A3 and 1 more' },
  ]);
});

describe('a file that is not a valid workbook', () => {
  const VALID = workbookParts({ rows: HEADER });
  const sheet = (text: string) => ({ ...VALID, 'xl/worksheets/sheet1.xml': text });
  const INVALID = 'u.xlsx: the file is not a valid .xlsx file: ';
  const text = '<row r="2"><c r="A2" t="s"><v>5</v></c></row>';

  it.each<[string, Uint8Array, string]>([
    ['text', Buffer.from('userId\na\n'), 'u.xlsx: the file is not an .xlsx file'],
    ['nothing', Buffer.alloc(0), 'u.xlsx: the input is empty'],
    [
      'a file with a password',
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      'u.xlsx: of spreadsheets, svc reads only .xlsx files without a password',
    ],
    ['a damaged archive', Buffer.from('PK\x03\x04....'), INVALID],
    [
      'another archive',
      createZip({ 'word/document.xml': '<x/>' }),
      `${INVALID}it has no xl/workbook.xml`,
    ],
    [
      'no sheet',
      createZip({ 'xl/workbook.xml': '<workbook/>' }),
      'u.xlsx: the workbook has no sheet',
    ],
    ['invalid XML', createZip(sheet('<worksheet><sheetData>')), INVALID],
    [
      'a document type',
      createZip(sheet('<!DOCTYPE x [<!ENTITY a "b">]><worksheet>&a;</worksheet>')),
      `${INVALID}the XML declares a document type`,
    ],
    ['an unknown entity', createZip(sheet('<worksheet>&a;</worksheet>')), INVALID],
    [
      'a text without end',
      createZip(sheet(`<worksheet>${'x'.repeat(5_000_000)}</worksheet>`)),
      `${INVALID}a part of the XML is too large`,
    ],
    ['a size that is too small', createZip(VALID, { 'xl/worksheets/sheet1.xml': 10 }), INVALID],
    [
      'a part that is too large',
      createZip(VALID, { 'xl/workbook.xml': 0x7fffffff }),
      `${INVALID}xl/workbook.xml is too large`,
    ],
    [
      'rows in another order',
      createWorkbook({ rows: `${HEADER}<row r="1"/>` }),
      `${INVALID}row 1 is followed by row 1`,
    ],
    [
      'a cell outside of the sheet',
      createWorkbook({ rows: '<row r="1"><c r="XFE1"/></row>' }),
      `${INVALID}row 1 contains an invalid cell XFE1`,
    ],
    [
      'a missing text',
      createWorkbook({ rows: HEADER + text }),
      `${INVALID}the text of cell A2 is missing`,
    ],
    ['no rows', createWorkbook({ rows: '' }), 'u.xlsx: the header is missing'],
    [
      'a header with a gap',
      createWorkbook({
        rows: '<row><c t="str"><v>userId</v></c><c/><c t="str"><v>name</v></c></row>',
      }),
      'u.xlsx:Sheet1!B1: column 2 has no name',
    ],
  ])('%s', async (_, bytes, message) => {
    expect(await refusalOf(bytes)).toContain(message);
  });

  it('is detected by its content', async () => {
    const bytes = createWorkbook({ rows: `${HEADER}<row><c t="str"><v>a</v></c></row>` });
    expect((await read(await write(bytes, 'export'))).records).toEqual([[2, { userId: 'a' }]]);
    expect(await refusalOf(bytes, 'u.csv')).toBe('u.csv: expected UTF-8 text, found a spreadsheet');
    expect(await refusalOf(bytes, 'u.ods')).toMatch(/svc reads only \.xlsx files/);
  });
});
