import { writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openInputFile } from '../../../../src/bulk/input-file.ts';
import { SLOW } from '../../../slow.ts';
import { createTemporaryFolder } from '../../../temporary-folder.ts';
import {
  createTwoSheets,
  createWorkbook,
  createZip,
  type Parts,
  SHEETS,
  workbookParts,
} from './workbook-file.ts';

const FILES = fileURLToPath(new URL('files/', import.meta.url));
const HEADER =
  '<row r="1"><c r="A1" t="inlineStr"><is><t>userId</t></is></c><c r="B1" t="inlineStr"><is><t>name</t></is></c></row>';

async function read(path: string, sheet?: string, signal = new AbortController().signal) {
  const input = await openInputFile({
    file: path,
    cwd: FILES,
    sheet,
    stdin: { stream: Readable.from([]) },
    spool: '',
    signal,
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

describe('a workbook whose first sheet has no IDs', () => {
  const NOTES = '<row r="1"><c r="A1" t="str"><v>Read me</v></c></row>';

  it('is refused with the sheet that has them, which can be hidden', async () => {
    for (const state of ['visible', 'hidden'] as const)
      await expect(read(await write(createTwoSheets(NOTES, HEADER, state)))).rejects.toMatchObject({
        message: expect.stringMatching(
          /Sheet1!A1: the column 'userId' is missing.*; the sheet 'All staff' has the columns$/,
        ),
        hint: "add --sheet 'All staff'",
      });
    const below = NOTES + HEADER.replace('r="1"', 'r="3"').replace(/([AB])1/g, '$13');
    await expect(read(await write(createTwoSheets(NOTES, below)))).rejects.toMatchObject({
      hint: "add --sheet 'All staff' --header-row 3",
    });
  });

  it('is refused without a sheet if none has them', async () => {
    await expect(read(await write(createTwoSheets(NOTES, NOTES)))).rejects.toThrow(
      /Sheet1!A1: the column 'userId' is missing; the columns are: Read me$/,
    );
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

/** The built-in formats of dates in Asian languages: first those that show the time. */
const BUILT_IN_DATES = [
  32, 33, 21, 75, 76, 78, 80, 27, 28, 29, 30, 31, 34, 35, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58,
  71, 72, 73, 74, 77, 81,
];

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
    'dd.mm.yyyy',
    '_(* #,##0.0?_);_(* (#,##0)',
    '[$€-407]#,##0',
    '0.0,,"M"',
    ';;;',
    '0',
    '0%',
    '# ?/?',
    'not"closed',
    '[=0]"none";dd.mm.yyyy',
    '[<1]0%;[h]:mm',
    'mm:ss',
    '"x"',
    'd-mmm',
    '[=1]"one";[=2]"two";0',
    '0;-0;0;"EMP-"@',
  ];
  const styles = `<numFmts>${formats
    .map(
      (code, at) =>
        `<numFmt numFmtId="${164 + at}" formatCode="${code.replaceAll('"', '&quot;').replaceAll('<', '&lt;')}"/>`,
    )
    .join(
      '',
    )}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${formats
    .map((_, at) => `<xf numFmtId="${164 + at}"/>`)
    .join(
      '',
    )}<xf numFmtId="14"/><xf numFmtId="49"/>${[...BUILT_IN_DATES, 300, 224].map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs><dxfs><dxf><numFmt numFmtId="164" formatCode="0.0"/></dxf></dxfs>`;
  const styleOf = (code: string) => formats.indexOf(code) + 1;
  const [DATE, TEXT] = [formats.length + 1, formats.length + 2];

  it.each<[number, string, string]>([
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
    [DATE, '1', '1900-01-01'],
    [DATE, '59', '1900-02-28'],
    [DATE, '61', '1900-03-01'],
    [DATE, '2958465', '9999-12-31'],
    [styleOf('dd.mm.yyyy'), '43871', '2020-02-10'],
    [styleOf('h:mm'), '43871.25', '06:00:00'],
    [styleOf('mm:ss'), '1.01', '00:14:24'],
    [styleOf('[=0]"none";dd.mm.yyyy'), '0', 'none'],
    [styleOf('[=0]"none";dd.mm.yyyy'), '43871', '2020-02-10'],
    [styleOf('[<1]0%;[h]:mm'), '0.5', '50%'],
    [styleOf('[<1]0%;[h]:mm'), '1.5', '36:00'],
    [TEXT, '42', '42'],
    [99, '42', '42'],
    [TEXT + BUILT_IN_DATES.length + 1, '42', '42'],
    [TEXT + BUILT_IN_DATES.length + 2, '42', '42'],
    ...BUILT_IN_DATES.map(
      (_, at) =>
        [TEXT + 1 + at, '43871.25', at < 7 ? '06:00:00' : '2020-02-10T06:00:00'] satisfies [
          number,
          string,
          string,
        ],
    ),
  ])('in style %i: %s is %s', async (style, stored, text) => {
    const cell = `<c r="B2" s="${style}"><v>${stored}</v></c>`;
    expect((await readCells(cell, { styles }))?.['name']).toBe(text);
  });

  it.each([
    ['_(* #,##0.0?_);_(* (#,##0)', '5', '5.0'],
    ['_(* #,##0.0?_);_(* (#,##0)', '-1234', '(1,234)'],
    ['[$€-407]#,##0', '1234', '€1,234'],
    ['0%', '0.5', '50%'],
    ['# ?/?', '1.5', '1 1/2'],
    ['0.0,,"M"', '4711001', '4.7M'],
    ['0', '45000.5', '45001'],
    [';;;', '5', undefined],
  ])('%s shows %s as %s', async (code, stored, text) => {
    const cell = `<c r="A2" t="str"><v>a</v></c><c r="B2" s="${styleOf(code)}"><v>${stored}</v></c>`;
    expect((await readCells(cell, { styles }))?.['name']).toBe(text);
  });

  it.each([
    [0, '1.2345678901234567E+17'],
    [0, '0.0000001'],
    [1, '1234567890123456'],
    [9, '123456789012'],
    [9, '1000'],
    [styleOf('0.0,,"M"'), '4711001'],
    [styleOf('0.0,,"M"'), '5000000'],
    [styleOf(';;;'), '5'],
    [styleOf('0'), '45000.5'],
    [styleOf('# ?/?'), '0.3333'],
    [styleOf('h:mm'), '43871.25'],
    [styleOf('"x"'), '5'],
    [styleOf('[=1]"one";[=2]"two";0'), '2'],
    [styleOf('d-mmm'), '43871'],
    [DATE, '43871.25'],
  ])('in style %i: an ID %s lost digits, but another field is read', async (style, stored) => {
    const cell = (at: string) => `<c r="${at}2" s="${style}"><v>${stored}</v></c>`;
    await expect(readCells(cell('A'), { styles })).rejects.toThrow(
      /u\.xlsx:Sheet1!A2: the sheet does not show the whole value of the cell$/,
    );
    const other = `<c r="A2" t="str"><v>a</v></c>${cell('B')}`;
    expect(await readCells(other, { styles })).toMatchObject({ userId: 'a' });
  });

  it.each([
    ['[h]:mm', 'PT26H11M0.000S', '26:11'],
    ['h:mm', '1899-12-30T11:00:00', '11:00:00'],
    ['dd.mm.yyyy', '1900-02-28', '1900-02-28'],
  ])('in %s, the date %s of a strict workbook is %s', async (code, stored, text) => {
    const cells = `<c r="A2" t="str"><v>a</v></c><c r="B2" s="${styleOf(code)}" t="d"><v>${stored}</v></c>`;
    expect((await readCells(cells, { styles }))?.['name']).toBe(text);
  });

  it.each([
    [styleOf('0;-0;0;"EMP-"@'), '7', 'EMP-7'],
    [styleOf('_(* #,##0.0?_);_(* (#,##0)'), '7', '7'],
    [styleOf(';;;'), 'Ada', undefined],
  ])('in style %i: the text %s is %s', async (style, stored, text) => {
    const cells = `<c r="A2" t="str"><v>a</v></c><c r="B2" s="${style}" t="inlineStr"><is><t>${stored}</t></is></c>`;
    expect((await readCells(cells, { styles }))?.['name']).toBe(text);
  });

  it('a number format that hides the text of an ID is a problem', async () => {
    const cells = `<c r="A2" s="${styleOf(';;;')}" t="str"><v>a</v></c>`;
    await expect(readCells(cells, { styles })).rejects.toThrow(
      'Sheet1!A2: the number format of the cell hides its text',
    );
  });

  it.each([
    [DATE, '-1', 'the date is outside the calendar of the sheet'],
    [DATE, '0', 'the date is outside the calendar of the sheet'],
    [DATE, '60', 'the date is outside the calendar of the sheet'],
    [DATE, '2958466', 'the date is outside the calendar of the sheet'],
    [styleOf('not"closed'), '5', 'svc does not know the number format of the cell'],
    [0, 'NaN', "'NaN' is not a number"],
    [0, '0x10', "'0x10' is not a number"],
    [0, '1E+400', "'1E+400' is not a number"],
  ])('in style %i: %s is a problem', async (style, stored, problem) => {
    const cells = `<c r="A2" t="str"><v>a</v></c><c r="B2" s="${style}"><v>${stored}</v></c>`;
    await expect(readCells(cells, { styles })).rejects.toThrow(`Sheet1!B2: ${problem}`);
  });
});

describe('cells', () => {
  it.each([
    ['<c r="A2" t="b"><v>1</v></c>', 'TRUE'],
    ['<c r="A2" t="b"><v>true</v></c>', 'TRUE'],
    ['<c r="A2" t="b"><v>false</v></c>', 'FALSE'],
    ['<c r="A2" t="s"><v/></c><c r="B2" t="str"><v>b</v></c>', undefined],
    ['<c r="A2" t="str"><f>T("")</f><v></v></c><c r="B2" t="str"><v>b</v></c>', undefined],
    ['<c r="A2" t="inlineStr"><v>1.</v><is><t>01.</t></is></c>', '01.'],
    ['<c r="A2" t="d"><v>2026-11-26T00:00:00</v></c>', '2026-11-26'],
    ['<c r="A2" t="d"><v>2026-11-26T03:04:05.250Z</v></c>', '2026-11-26T03:04:05.250'],
    ['<c r="A2" t="d"><v>2014-01-16T15:59:59.99999979045242400</v></c>', '2014-01-16T16:00:00'],
    ['<c r="A2" t="d"><v>10:59:59.9999999999984025</v></c>', '11:00:00'],
    ['<c r="A2" t="d"><v>PT26H11M0.000S</v></c>', '26:11:00'],
    ['<c r="a2" t="str"><v>x</v></c>', 'x'],
    ['<y:c xmlns:y="y" r="A2"><y:v>1</y:v></y:c><c r="B2" t="str"><v>b</v></c>', undefined],
    ['<c r="A2" t="e"><v>#N/A</v></c>', '#N/A'],
    ['<c r="A2" t="d"><v>2026-11-26</v></c>', '2026-11-26'],
    ['<c r="A2" t="str"><f>A1</f><v>x_x0041_</v></c>', 'xA'],
    ['<c r="A2" t="inlineStr"><f>A1</f><is><t>x</t></is></c>', 'x'],
    [
      '<c r="A2" t="inlineStr"><is><r><t>a</t></r><r><t xml:space="preserve"> b</t></r></is></c>',
      'a b',
    ],
    ['<c r="A2" t="s"><v>0</v></c>', '山田'],
    ['<c t="s"><v>0</v></c>', '山田'],
    [
      '<x:c xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main" r="A2" t="str"><x:v>&lt;&amp;&#233;</x:v></x:c>',
      '<&é',
    ],
  ])('%s', async (cell, text) => {
    const strings = '<si><t>山田</t><rPh sb="0" eb="2"><t>ヤマダ</t></rPh></si>';
    expect((await readCells(cell, { strings }))?.['userId']).toBe(text);
  });

  it.each([
    ['<c r="A2"><f>1+1</f></c>', 'the formula has no stored result'],
    ['<c r="A2"><f>1+1</f><v></v></c>', 'the formula has no stored result'],
    ['<c r="A2"><f>1+1</f><v/></c>', 'the formula has no stored result'],
    ['<c r="A2" t="b"><v>yes</v></c>', "'yes' is not a boolean"],
    ['<c r="A2" t="d"><v>2026-02-30</v></c>', "'2026-02-30' is not a date"],
    ['<c r="A2" t="d"><v>PT</v></c>', "'PT' is not a date"],
    ['<c r="A2" t="d"><v>1899-12-30</v></c>', 'the date is outside the calendar of the sheet'],
    ['<c r="A2" t="z"><v>1</v></c>', "a cell of the unknown type 'z'"],
  ])('%s is a problem', async (cell, problem) => {
    await expect(readCells(cell)).rejects.toThrow(`Sheet1!A2: ${problem}`);
  });

  it('of a formula, and of its other results, are a problem if a program has yet to calculate it', async () => {
    const workbook = `${SHEETS}<calcPr fullCalcOnLoad="1"/>`;
    const cells = (formula: string) =>
      `<c r="A2" t="str"><v>a</v></c><c r="B2">${formula}<v>0</v></c>`;
    expect(await readCells(cells(''), { workbook })).toEqual({ userId: 'a', name: '0' });
    await expect(readCells(cells('<f>1+1</f>'), { workbook })).rejects.toThrow(
      'Sheet1!B2: the formula has no stored result',
    );
    const array =
      '<c r="A2" t="str"><f t="array" ref="A2:B2">X</f><v>a</v></c><c r="B2"><v>0</v></c>';
    await expect(readCells(array, { workbook })).rejects.toThrow('Sheet1!A2: the formula');
    expect(await readCells(array)).toEqual({ userId: 'a', name: '0' });
  });

  it('outside the header are a problem', async () => {
    const cells = '<c r="A2" t="str"><v>a</v></c><c r="D2"><v>1</v></c>';
    await expect(readCells(cells)).rejects.toThrow(
      'Sheet1!D2: the cell is outside the columns of the header',
    );
  });
});

it.each(['A1', 'C1'])('a title in %s does not hide columns of the header below it', async (at) => {
  const cell = (name: string, text: string) =>
    `<c r="${name}" t="inlineStr"><is><t>${text}</t></is></c>`;
  const rows = `<row r="1">${cell(at, 'Staff')}</row><row r="3">${cell('A3', 'name')}${cell('B3', 'userId')}</row>`;
  await expect(read(await write(createWorkbook({ rows })))).rejects.toMatchObject({
    hint: 'for the header in row 3, add --header-row 3',
  });
});

describe('merged cells', () => {
  const cell = (at: string) => `<c r="${at}" t="str"><v>${at}</v></c>`;
  const readMerged = async (rows: string, ...refs: string[]) => {
    const after = `<mergeCells>${refs.map((ref) => `<mergeCell ref="${ref}"/>`).join('')}</mergeCells>`;
    return read(await write(createWorkbook({ rows: HEADER + rows, after })));
  };

  it.each([
    ['A3', 'A2:A3', `<row r="2">${cell('A2')}</row><row r="3">${cell('A3')}</row>`],
    ['B2', 'A2:B2', `<row r="2">${cell('A2')}${cell('B2')}</row>`],
    ['B3', 'B2:B4', `<row r="2">${cell('A2')}</row><row r="3">${cell('A3')}${cell('B3')}</row>`],
  ])('that hide the value of %s are a problem', async (at, ref, rows) => {
    await expect(readMerged(rows, 'D9:E9', ref)).rejects.toMatchObject({
      message: expect.stringMatching(new RegExp(`Sheet1!${at}: a merged cell hides the value$`)),
      hint: 'unmerge the cells, or clear this one',
    });
  });

  it('that hide nothing are read', async () => {
    const rows = `<row r="2">${cell('A2')}${cell('B2')}</row><row r="3">${cell('A3')}</row><row r="4">${cell('A4')}${cell('B4')}</row>`;
    const { records } = await readMerged(rows, 'B4:B5', 'B2:B3');
    expect(records).toEqual([
      [2, { userId: 'A2', name: 'B2' }],
      [3, { userId: 'A3' }],
      [4, { userId: 'A4', name: 'B4' }],
    ]);
  });
});

it('hidden rows with values are a warning', async () => {
  const cell = (line: number) => `<c r="A${line}" t="str"><v>a${line}</v></c>`;
  const rows = `${HEADER}<row r="2">${cell(2)}</row><row r="3" hidden="1">${cell(3)}</row><row r="4" hidden="true"/>`;
  const { source } = await read(await write(createWorkbook({ rows })));
  expect(source.warnings?.()).toEqual([
    { line: 3, message: '1 hidden row is read like the others' },
  ]);
});

it('hidden columns that are read are a warning', async () => {
  const cells = ['A', 'B'].map((column) => `<c r="${column}2" t="str"><v>a</v></c>`).join('');
  const before = '<cols><col min="2" max="3" hidden="1"/></cols>';
  const bytes = createWorkbook({ rows: `${HEADER}<row r="2">${cells}</row>`, before });
  const { source } = await read(await write(bytes));
  expect(source.warnings?.()).toEqual([
    { line: 1, message: '1 hidden column (B) is read like the others' },
  ]);
});

it('merged cells are a warning', async () => {
  const rows = `${HEADER}<row r="2"><c r="A2" t="str"><v>a</v></c></row>`;
  const after = '<mergeCells><mergeCell ref="A2:A3"/><mergeCell ref="B2:B3"/></mergeCells>';
  const { source } = await read(await write(createWorkbook({ rows, after })));
  expect(source.warnings?.()).toEqual([
    { line: 1, message: 'only the first cell of a merged range has a value: A2:A3 and 1 more' },
  ]);
});

describe('the parts of a workbook', () => {
  const ROW = '<row r="2"><c r="A2" t="s"><v>0</v></c></row>';
  const PARTS = workbookParts({ rows: HEADER + ROW, strings: '<si><t>é</t></si>' });
  const PACKAGE = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument" Target="\\xl\\workbook22.xml"/></Relationships>`;
  const rename = (name: (path: string) => string) =>
    Object.fromEntries(Object.entries(PARTS).map(([path, text]) => [name(path), text]));
  const { 'xl/workbook.xml': workbook, 'xl/_rels/workbook.xml.rels': targets, ...others } = PARTS;

  it.each([
    ['another case', rename((path) => path.toUpperCase())],
    ['back slashes', rename((path) => path.replaceAll('/', '\\'))],
    ['slashes at their start', rename((path) => `/${path}`)],
    [
      'another name of the workbook',
      {
        ...others,
        '_rels/.rels': PACKAGE,
        'xl/workbook22.xml': workbook,
        'xl/_rels/workbook22.xml.rels': targets,
      },
    ],
    [
      'an escaped name',
      {
        ...PARTS,
        'xl/_rels/workbook.xml.rels': targets.replace('sheet1', 'sheet%201'),
        'xl/worksheets/sheet%201.xml': PARTS['xl/worksheets/sheet1.xml'],
      },
    ],
  ])('have %s', async (_, parts) => {
    const { records } = await read(await write(createZip(parts)));
    expect(records).toEqual([[2, { userId: 'é' }]]);
  });

  it.each([Buffer.alloc(512), Buffer.from('{"signature":"x"}')])(
    'are followed by other bytes: %s',
    async (bytes) => {
      const { records } = await read(await write(Buffer.concat([createZip(PARTS), bytes])));
      expect(records).toEqual([[2, { userId: 'é' }]]);
    },
  );

  it('are not in the ASCII that they declare', async () => {
    const text = `<?xml version="1.0" encoding="us-ascii"?>${PARTS['xl/sharedStrings.xml']}`;
    const bytes = Buffer.from(text, 'latin1');
    const refusal = await refusalOf(createZip({ ...PARTS, 'xl/sharedStrings.xml': bytes }));
    expect(refusal).toContain('the XML is not valid UTF-8 text');
  });

  it('can refer to other files with invalid addresses', async () => {
    const other = '<Relationship Id="r9" Type="hyperlink" Target="http://[x"/></Relationships>';
    const parts = {
      ...PARTS,
      'xl/_rels/workbook.xml.rels': targets.replace('</Relationships>', other),
    };
    const { records } = await read(await write(createZip(parts)));
    expect(records).toEqual([[2, { userId: 'é' }]]);
  });

  it.each(['utf-16le', 'latin1'] as const)('are in %s', async (encoding) => {
    const mark = encoding === 'latin1' ? '' : '\ufeff';
    const declared = encoding === 'latin1' ? 'ISO-8859-1' : 'UTF-16';
    const text = `${mark}<?xml version='1.0' encoding='${declared}'?>${PARTS['xl/sharedStrings.xml']}`;
    const bytes = Buffer.from(text, encoding);
    const { records } = await read(
      await write(createZip({ ...PARTS, 'xl/sharedStrings.xml': bytes })),
    );
    expect(records).toEqual([[2, { userId: 'é' }]]);
  });

  it('include markup for newer programs', async () => {
    const compatibility = 'http://schemas.openxmlformats.org/markup-compatibility/2006';
    const rows = (text: string) => `<row r="2"><c r="A2" t="str"><v>${text}</v></c></row>`;
    const choice = `<mc:AlternateContent xmlns:mc="${compatibility}"><mc:Choice Requires="new">${rows('new')}</mc:Choice><mc:Fallback>${rows('old')}</mc:Fallback></mc:AlternateContent>`;
    const { records } = await read(await write(createWorkbook({ rows: HEADER + choice })));
    expect(records).toEqual([[2, { userId: 'old' }]]);
  });

  it('have properties of later versions', async () => {
    const later =
      '<x15:workbookPr xmlns:x15="http://schemas.microsoft.com/office/spreadsheetml/2010/11/main" date1904="0"/>';
    const workbook = `<workbookPr date1904=" 1 "/>${SHEETS}<extLst><ext>${later}<workbookPr/></ext></extLst>`;
    const styles = '<cellXfs><xf numFmtId="14"/></cellXfs>';
    expect(await readCells('<c r="A2"><v>0</v></c>', { workbook, styles })).toEqual({
      userId: '1904-01-01',
    });
  });
});

describe('a file that is not a valid workbook', () => {
  const VALID = workbookParts({ rows: HEADER });
  const sheet = (text: string) => ({ ...VALID, 'xl/worksheets/sheet1.xml': text });
  const INVALID = 'u.xlsx: the file is not a valid .xlsx file: ';
  const text = '<row r="2"><c r="A2" t="s"><v>5</v></c></row>';
  const repeat = (part: (at: number) => string, length = 1_100) =>
    Array.from({ length }, (_, at) => part(at)).join('');

  it.each<[string, Uint8Array, string]>([
    ['text', Buffer.from('userId\na\n'), 'u.xlsx: the file is not an .xlsx file'],
    ['nothing', Buffer.alloc(0), 'u.xlsx: the input is empty'],
    [
      'gzip',
      gzipSync(createWorkbook({ rows: HEADER })),
      'u.xlsx: the input is compressed with gzip',
    ],
    [
      'a file with a password',
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      'u.xlsx: of spreadsheets, svc reads only .xlsx files without a password',
    ],
    ['a damaged archive', Buffer.from('PK\x03\x04....'), INVALID],
    [
      'another archive',
      createZip({ 'users.csv': 'userId' }),
      'u.xlsx: expected a spreadsheet, found a ZIP archive',
    ],
    [
      'a text document',
      createZip({ 'word/document.xml': '<x/>' }),
      'u.xlsx: expected a spreadsheet, found a Word or PowerPoint document',
    ],
    ['another document', createZip({ 'xl/workbook.xml': '<x/>' }), `${INVALID}it has no workbook`],
    [
      'a flood of empty cells',
      createWorkbook({ rows: `<row r="1">${'<c/>'.repeat(3_000_000)}</row>` }),
      `${INVALID}xl/worksheets/sheet1.xml expands to more than 150 times its size`,
    ],
    [
      'a flood of formatted parts of a text',
      createWorkbook({ rows: '', strings: `<si>${'<r/>'.repeat(3_000_000)}</si>` }),
      `${INVALID}xl/sharedstrings.xml expands to more than 150 times its size`,
    ],
    [
      'a flood of number formats',
      createWorkbook({
        rows: `${HEADER}<row r="2">${repeat((at) => `<c s="${at}"><v>1.5</v></c>`)}</row>`,
        styles: `<numFmts>${repeat((at) => `<numFmt numFmtId="${at}" formatCode="0.0&quot;${at}&quot;"/>`)}</numFmts><cellXfs>${repeat((at) => `<xf numFmtId="${at}"/>`)}</cellXfs>`,
      }),
      `${INVALID}it uses too many number formats`,
    ],
    [
      'a number format of many parts',
      createWorkbook({
        rows: `${HEADER}<row r="2"><c s="0"><v>1.5</v></c></row>`,
        styles: `<numFmts><numFmt numFmtId="200" formatCode="${'0'.repeat(101)}"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs>`,
      }),
      'u.xlsx:Sheet1!A2: svc does not know the number format of the cell',
    ],
    [
      'a flood of attributes',
      createWorkbook({ rows: `<row r="1" ${repeat((at) => ` a${at}="1"`)}/>` }),
      `${INVALID}an element has too many attributes`,
    ],
    [
      'a flood of cells without values',
      createWorkbook({
        rows: `${HEADER.replace('</row>', '<c r="XFD1" t="str"><v>email</v></c></row>')}${repeat((at) => `<row r="${at + 2}"><c><v>1</v></c></row>`)}`,
      }),
      `${INVALID}the rows before row 489 have too many empty cells`,
    ],
    [
      'XML with many levels',
      createZip(sheet(`<worksheet>${'<a>'.repeat(1_000_000)}`)),
      `${INVALID}the XML is nested more than 64 levels deep`,
    ],
    [
      'XML in another encoding than it declares',
      createZip(sheet('<?xml version="1.0" encoding="windows-99"?><worksheet/>')),
      `${INVALID}the XML is in the unknown encoding windows-99`,
    ],
    [
      'too many texts',
      createZip(VALID, { 'xl/sharedStrings.xml': 300_000_000 }),
      `${INVALID}xl/sharedstrings.xml is too large`,
    ],
    [
      'a part that is damaged',
      ((zip) => zip.fill(0, zip.indexOf('PK\x01\x02') + 16, zip.indexOf('PK\x01\x02') + 20))(
        createZip(VALID),
      ),
      `${INVALID}xl/workbook.xml is damaged`,
    ],
    [
      'a sheet that is missing',
      createZip({ ...VALID, 'xl/_rels/workbook.xml.rels': '<Relationships/>' }),
      `${INVALID}the sheet 'Sheet1' is missing`,
    ],
    [
      'a part that occurs twice',
      createZip({ ...VALID, 'XL/Workbook.xml': VALID['xl/workbook.xml'] }),
      `${INVALID}it has xl/workbook.xml twice`,
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
        rows: '<row><c t="str"><v>userId</v></c><c/><c t="str"><v>name</v></c></row><row><c t="str"><v>u1</v></c><c t="str"><v>x</v></c></row>',
      }),
      'u.xlsx:Sheet1!B2: column 2 has no name, but a value',
    ],
  ])('%s', async (_, bytes, message) => {
    expect(await refusalOf(bytes)).toContain(message);
  });

  it.each([
    ['elements without text', (at: number) => `<x a="${at}"/>`, 500_001],
    [
      'empty cells',
      (at: number) => `<row>${`<c s="${(at * at) % 997}"/>`.repeat(3)}</row>`,
      700_000,
    ],
  ])('a flood of %s', SLOW, async (found, part, count) => {
    const bytes = createWorkbook({ rows: `${HEADER}${repeat(part, count)}` });
    expect(await refusalOf(bytes)).toBe(`${INVALID}it has too many ${found}`);
  });

  it('has text that looks like an empty cell', async () => {
    const text = 'a<c r="A1"/>';
    const bytes = createWorkbook({
      rows: `${HEADER}<row r="2"><c r="A2" t="str"><v><![CDATA[${text}]]></v></c><c r="B2"/></row>`,
    });
    expect((await read(await write(bytes))).records).toEqual([[2, { userId: text }]]);
  });

  it('is not read after the signal aborts', async () => {
    const bytes = createWorkbook({ rows: HEADER, strings: '<si><t>a</t></si>' });
    const reading = read(await write(bytes), undefined, AbortSignal.abort());
    await expect(reading).rejects.toThrow('This operation was aborted');
  });

  it('is detected by its content', async () => {
    const bytes = createWorkbook({ rows: `${HEADER}<row><c t="str"><v>a</v></c></row>` });
    expect((await read(await write(bytes, 'export'))).records).toEqual([[2, { userId: 'a' }]]);
    expect(await refusalOf(bytes, 'u.csv')).toBe('u.csv: expected UTF-8 text, found a spreadsheet');
    expect((await read(await write(bytes, 'u.xltx'))).records).toEqual([[2, { userId: 'a' }]]);
  });

  it.each([
    ['CSV', 'userId\na\n', undefined],
    ['a page', '<meta charset="utf-8"><table><tr><td>userId</td></tr></table>', true],
    ['XML of Excel 2003', '<?xml version="1.0"?><Workbook/>', true],
    ['a bare sheet of Excel 5', '\t\b\b\0\0\x05\x05\0', true],
  ])('may be %s under the name of an .xls file', async (_, text, isRefused) => {
    const file = await write(Buffer.from(text), 'u.xls');
    const reading = read(file).then(({ records }) => records);
    if (isRefused) await expect(reading).rejects.toThrow('svc reads only .xlsx files');
    else expect(await reading).toEqual([[2, { userId: 'a' }]]);
  });
});
