import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import writeExcelFile, { type SheetData } from 'write-excel-file/node';
import { utils, write } from 'xlsx';
import { SLOW } from '../slow.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';
import { Outcomes } from './outcomes.ts';
import { readFileValues } from './read-values.ts';

const SCRIPT = fileURLToPath(new URL('workbooks.py', import.meta.url));

/** A Python that has a module. Debian's modules belong to Debian's Python. */
function findPython(module: string): string | undefined {
  return ['python3', '/usr/bin/python3'].find(
    (program) => spawnSync(program, ['-c', `import ${module}`]).status === 0,
  );
}

const PYTHONS = { openpyxl: findPython('openpyxl'), xlsxwriter: findPython('xlsxwriter') };

function runPython(module: keyof typeof PYTHONS, words: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync(
    PYTHONS[module] ?? '',
    ['-X', 'utf8', SCRIPT, ...words],
    { input, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

type Cell =
  | { readonly kind: 'text' | 'formula'; readonly value: string }
  | { readonly kind: 'number'; readonly value: number; readonly format: string }
  | { readonly kind: 'date'; readonly value: string; readonly format: string }
  | { readonly kind: 'boolean'; readonly value: boolean };

/** A column of cells, with the texts that a spreadsheet program shows, and dates as ISO 8601. */
interface Column {
  readonly name: string;
  readonly cells: readonly Cell[];
  readonly shown: readonly string[];
}

const texts = (name: string, values: readonly string[]): Column => ({
  name,
  cells: values.map((value) => ({ kind: 'text', value })),
  shown: values,
});
const numbers = (
  name: string,
  format: string,
  values: readonly number[],
  shown: readonly string[],
): Column => ({ name, cells: values.map((value) => ({ kind: 'number', value, format })), shown });
const dates = (
  name: string,
  format: string,
  values: readonly string[],
  shown: readonly string[],
): Column => ({ name, cells: values.map((value) => ({ kind: 'date', value, format })), shown });

const COLUMNS: readonly Column[] = [
  texts('id', ['0123', 'u-2', '12345678901234567890']),
  texts('name', ['Müller 🌻', 'a  b', 'x\ny <&>"]]>']),
  texts('note', ['=1+1', 'x_y', "'quoted"]),
  numbers('code', '00000', [123, 45_678, 0], ['00123', '45678', '00000']),
  numbers('amount', '#,##0.00', [1234.5, -2, 0.1], ['1,234.50', '-2.00', '0.10']),
  numbers('plain', 'General', [123_456_789_012, 0.1 + 0.2, -7], ['123456789012', '0.3', '-7']),
  numbers('share', '0%', [0.5, 1, 0], ['50%', '100%', '0%']),
  dates(
    'day',
    'dd.mm.yyyy',
    ['2026-11-26T00:00:00', '1999-12-31T00:00:00', '1900-03-01T00:00:00'],
    ['2026-11-26', '1999-12-31', '1900-03-01'],
  ),
  dates(
    'at',
    'yyyy-mm-dd hh:mm:ss',
    ['2026-11-26T03:04:05', '2026-01-02T23:59:59', '2026-01-01T12:00:00'],
    ['2026-11-26T03:04:05', '2026-01-02T23:59:59', '2026-01-01T12:00:00'],
  ),
  {
    name: 'active',
    cells: [true, false, true].map((value) => ({ kind: 'boolean', value })),
    shown: ['TRUE', 'FALSE', 'TRUE'],
  },
];

const ROWS: readonly (readonly Cell[])[] = [
  COLUMNS.map(({ name }) => ({ kind: 'text', value: name })),
  ...[0, 1, 2].map((row) => COLUMNS.flatMap(({ cells }) => cells[row] ?? [])),
];
const RECORDS = [0, 1, 2].map((row) =>
  Object.fromEntries(COLUMNS.map(({ name, shown }) => [name, shown[row]])),
);

function writeSheetJs(path: string, rows = ROWS): void {
  const sheet = utils.aoa_to_sheet(
    rows.map((row) =>
      row.map((cell) => {
        if (cell.kind === 'date') return { t: 'd', v: new Date(`${cell.value}Z`), z: cell.format };
        if (cell.kind === 'number') return { t: 'n', v: cell.value, z: cell.format };
        return { t: cell.kind === 'boolean' ? 'b' : 's', v: cell.value };
      }),
    ),
    { cellDates: true },
  );
  const book = utils.book_new();
  utils.book_append_sheet(book, sheet, 'Users');
  writeFileSync(path, write(book, { type: 'buffer', bookType: 'xlsx', cellDates: true }));
}

async function writeWithWriteExcelFile(path: string): Promise<void> {
  const data: SheetData = ROWS.map((row) =>
    row.map((cell) => {
      if (cell.kind === 'date')
        return { type: Date, value: new Date(`${cell.value}Z`), format: cell.format };
      if (cell.kind === 'number') return { type: Number, value: cell.value, format: cell.format };
      if (cell.kind === 'boolean') return { type: Boolean, value: cell.value };
      return { type: String, value: cell.value };
    }),
  );
  await writeExcelFile(data).toFile(path);
}

const hasLibreOffice = spawnSync('sh', ['-c', 'command -v soffice']).status === 0;

/** Converts a workbook with LibreOffice to another file in its own folder. */
async function convert(path: string, format: 'xlsx' | 'csv'): Promise<string> {
  const folder = await createTemporaryFolder();
  // Separator, quote, UTF-8, first row, American English, and cells as they are shown.
  const filter =
    format === 'csv' ? 'csv:Text - txt - csv (StarCalc):44,34,76,1,,1033,false,true' : format;
  const profile = `-env:UserInstallation=${pathToFileURL(join(folder, 'profile'))}`;
  const { status, stderr } = spawnSync(
    'soffice',
    [profile, '--headless', '--convert-to', filter, '--outdir', folder, path],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(stderr);
  return join(folder, basename(path).replace(/\.xlsx$/, `.${format}`));
}

async function writeWithLibreOffice(path: string): Promise<void> {
  writeSheetJs(path);
  await copyFile(await convert(path, 'xlsx'), path);
}

interface Writer {
  readonly name: string;
  readonly isMissing: boolean;
  /** Options of the tests of a slow writer. */
  readonly options?: typeof SLOW;
  write(path: string): unknown;
}

const WRITERS: readonly Writer[] = [
  {
    name: 'LibreOffice',
    isMissing: !hasLibreOffice,
    options: SLOW,
    write: writeWithLibreOffice,
  },
  { name: 'SheetJS', isMissing: false, write: writeSheetJs },
  { name: 'write-excel-file', isMissing: false, write: writeWithWriteExcelFile },
  ...(['openpyxl', 'xlsxwriter'] as const).map((name) => ({
    name,
    isMissing: PYTHONS[name] === undefined,
    write: (path: string) => runPython(name, [name, path], JSON.stringify(ROWS)),
  })),
];

describe.each(WRITERS)('a workbook of $name', ({ isMissing, options = {}, write }) => {
  it.skipIf(isMissing)('is read as the sheet shows it', options, async () => {
    const path = join(await createTemporaryFolder(), 'users.xlsx');
    await write(path);
    expect(await readFileValues(path)).toEqual(RECORDS);
  });

  it.skipIf(isMissing || PYTHONS.openpyxl === undefined)(
    'is read like openpyxl does',
    options,
    async () => {
      const path = join(await createTemporaryFolder(), 'users.xlsx');
      await write(path);
      const [header = [], ...rows]: OtherCell[][] = JSON.parse(
        runPython('openpyxl', ['read', path]),
      );
      const values = await readFileValues(path);
      const names = header.map(({ value }) => String(value));
      const own = values.map((record) =>
        names.map((name, at) => toOtherCell(Object(record)[name], rows[0]?.[at]?.kind)),
      );
      expect(own).toEqual(rows.map((row) => row.map(withoutMidnight)));
    },
  );
});

/** A cell as openpyxl reads it. */
interface OtherCell {
  readonly kind: 'text' | 'number' | 'date' | 'boolean';
  readonly value: string | number | boolean;
}

function toOtherCell(text: string, kind: OtherCell['kind'] = 'text'): OtherCell {
  if (kind === 'boolean') return { kind, value: text === 'TRUE' };
  if (kind !== 'number') return { kind, value: text };
  const number = Number(text.replace(/[,%]/g, ''));
  return { kind, value: text.endsWith('%') ? number / 100 : number };
}

function withoutMidnight({ kind, value }: OtherCell): OtherCell {
  if (kind === 'date') return { kind, value: String(value).replace('T00:00:00', '') };
  return { kind, value: kind === 'number' ? Number(Number(value).toPrecision(15)) : value };
}

describe.each(['openpyxl', 'xlsxwriter'] as const)('a formula that %s wrote', (writer) => {
  it.skipIf(PYTHONS[writer] === undefined)('has no result', async () => {
    const path = join(await createTemporaryFolder(), 'users.xlsx');
    const rows: readonly Cell[][] = [
      [{ kind: 'text', value: 'id' }],
      [{ kind: 'formula', value: '="a"&"b"' }],
    ];
    runPython(writer, [writer, path], JSON.stringify(rows));
    await expect(readFileValues(path)).rejects.toThrow(/A2: the formula has no stored result$/);
  });
});

describe('a formula that LibreOffice calculated', () => {
  it.skipIf(!hasLibreOffice || PYTHONS.openpyxl === undefined)('has its result', SLOW, async () => {
    const path = join(await createTemporaryFolder(), 'users.xlsx');
    const rows: readonly Cell[][] = [
      [
        { kind: 'text', value: 'id' },
        { kind: 'text', value: 'sum' },
      ],
      [
        { kind: 'formula', value: '="a"&"b"' },
        { kind: 'formula', value: '=1+2' },
      ],
    ];
    runPython('openpyxl', ['openpyxl', path], JSON.stringify(rows));
    expect(await readFileValues(await convert(path, 'xlsx'))).toEqual([{ id: 'ab', sum: '3' }]);
  });
});

/** Patterns of numbers. Dates are read as ISO 8601, whatever their pattern shows. */
const PATTERNS = `
0 | 0.00 | #,##0 | #,##0.00 | 0% | 0.00% | 0.00E+00 | ##0.0E+0 | # ?/? | # ??/?? | 00000 | 000-000
0.0,,"M" | $#,##0.00 | #,##0_);(#,##0) | #,##0.00_);[Red](#,##0.00) | "x"0 | 0" kg" | 0.### | #.##
[>=100]0;0.00 | 0;-0;"zero" | ?0.0 | #,##0, | 0.00;; | [<1]0.00;[>10]"big";0 | "No."000 | ###-##-####
(000) 000-0000 | +0;-0;0 | [Blue]0;[Red]-0 | 0.0%;(0.0%) | @ | General`
  .split(/ \| |\n/)
  .slice(1);
const NUMBERS = [0, 1, -1, 0.5, 1234.567, -1234.567, 123_456_789, 0.001, 99.995, 12];

describe('a number', () => {
  it.skipIf(!hasLibreOffice)('has the text that LibreOffice shows', SLOW, async () => {
    const path = join(await createTemporaryFolder(), 'numbers.xlsx');
    const rows: readonly Cell[][] = [
      ['id', ...NUMBERS.keys()].map((name) => ({ kind: 'text', value: String(name) })),
      ...PATTERNS.map((format): Cell[] => [
        { kind: 'text', value: format },
        ...NUMBERS.map((value): Cell => ({ kind: 'number', value, format })),
      ]),
    ];
    writeSheetJs(path, rows);
    const csv = await readFile(await convert(path, 'csv'), 'utf8');
    const shown = Papa.parse<string[]>(csv.trimEnd()).data.slice(1);
    const read = await readFileValues(path);
    const outcomes = new Outcomes();
    for (const [row, pattern] of PATTERNS.entries())
      for (const [column, number] of NUMBERS.entries()) {
        const expected = shown[row]?.[column + 1]?.trim() ?? '';
        const text = String(Object(read[row])[column] ?? '');
        if (text === expected) outcomes.add('as expected', '');
        else
          outcomes.add('different', `${pattern} of ${number}: '${text}', expected: '${expected}'`);
      }
    await expect(outcomes.toString()).toMatchFileSnapshot('numbers.snap');
  });
});
