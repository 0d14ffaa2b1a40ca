import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeInputText } from '../../../src/bulk/source/input-text.ts';
import { createSourceReader } from '../../../src/bulk/source/read-source.ts';
import type { InputFormat } from '../../../src/catalog/bulk-options.ts';
import { SLOW } from '../../slow.ts';
import { refusal } from './read-records.ts';

const CANNOT_READ = 'stdin: of spreadsheets, svc reads only .xlsx files without a password';

const COMPRESSED = 'stdin: the input is compressed with';
const found = (kind: string) => `stdin: expected UTF-8 text, found ${kind}`;

const bytes = (text: string, encoding: BufferEncoding) => Buffer.from(text, encoding);

describe('the error for an invalid input names the position and the problem', () => {
  it.each<[string, InputFormat, string | Uint8Array, string]>([
    ['an empty file', 'json', '', 'stdin: the input is empty'],
    ['a file of white space', 'csv', ' \n', 'stdin: the input is empty'],
    [
      'a record with a flood of fields',
      'ndjson',
      `{${fields(100_001)}}`,
      'stdin:1:1: the record has more than 100,000 fields',
    ],
    [
      'a record with a flood of values',
      'ndjson',
      `{"x":[${'1,'.repeat(1_000_000)}1]}`,
      'stdin:1:1: the record has more than 1,000,000 values',
    ],
    [
      'a flood of fields in YAML',
      'yaml',
      `- userId: a\n- {${fields(11_000)}}`,
      'stdin:2:3: a mapping has more than 10,000 fields',
    ],
    [
      'a flood of fields beside the list',
      'json',
      `{${'"k":1,'.repeat(10_000)}"users":[]}`,
      'stdin:1:60002: the object has more than 10,000 fields beside its records',
    ],
    ['a NUL character', 'json', '[{"a":"\0"}]', 'stdin:1:8: a NUL character'],
    [
      'a byte that is not UTF-8',
      'json',
      bytes('["na\u00efve"]', 'latin1'),
      'stdin:1:5: byte 0xef is not UTF-8 (Windows-1252: "ï"); add --encoding windows-1252',
    ],
    [
      'a character cut off at the end',
      'ndjson',
      bytes('"é', 'utf8').subarray(0, 2),
      'stdin:1:2: the text ends inside a character',
    ],
    [
      'a compressed file that is cut off',
      'json',
      gzipSync('[{}]').subarray(0, -9),
      'stdin: the gzip data is truncated',
    ],
    [
      'a compressed file that is damaged',
      'json',
      Uint8Array.of(0x1f, 0x8b, 9, 0),
      'stdin: the gzip data is damaged',
    ],
    [
      'a compressed file with other data at its end',
      'json',
      Buffer.concat([gzipSync('[{}]'), Buffer.alloc(600), Buffer.from('x')]),
      'stdin: the gzip data is damaged',
    ],
    [
      'a compressed flood',
      'ndjson',
      gzipSync(Buffer.alloc(9_000_000, '{}\n')),
      'stdin: the gzip data expands to more than 150 times its size',
    ],
    ['a file of bzip2', 'csv', 'BZh91AY&SY', 'stdin: the input is compressed with bzip2'],
    [
      'a file of xz',
      'csv',
      bytes('\xfd7zXZ\0', 'latin1'),
      'stdin: the input is compressed with xz',
    ],
    [
      'a file of zstd',
      'json',
      bytes('\x28\xb5\x2f\xfd', 'latin1'),
      'stdin: the input is compressed with zstd',
    ],
    [
      'an archive',
      'csv',
      bytes('PK\x03\x04...', 'latin1'),
      'stdin: expected UTF-8 text, found a ZIP archive',
    ],
    [
      'a spreadsheet',
      'csv',
      bytes(`PK\x03\x04${'\0'.repeat(26)}[Content_Types].xml`, 'latin1'),
      'stdin: expected UTF-8 text, found a spreadsheet',
    ],
    [
      'a spreadsheet of LibreOffice',
      'csv',
      bytes('PK\x03\x04\0\0mimetypeapplication/vnd.oasis.opendocument.spreadsheet', 'latin1'),
      CANNOT_READ,
    ],
    ['an old spreadsheet', 'csv', bytes('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'latin1'), CANNOT_READ],

    ['UTF-32 with its mark', 'json', bytes('\xff\xfe\0\0[\0\0\0', 'latin1'), found('UTF-32')],
    ['UTF-32LE without', 'json', bytes('[\0\0\0]\0\0\0', 'latin1'), found('UTF-32')],
    ['UTF-32BE without', 'json', bytes('\0\0\0[\0\0\0]', 'latin1'), found('UTF-32')],
    ['a file of compress', 'csv', bytes('\x1f\x9d\x90', 'latin1'), `${COMPRESSED} compress`],
    ['a file of lz4', 'csv', bytes('\x04\x22\x4d\x18', 'latin1'), `${COMPRESSED} lz4`],
    ['a file of lzip', 'csv', bytes('LZIP\x01', 'latin1'), `${COMPRESSED} lzip`],
    ['a file of lzma', 'csv', bytes('\x5d\0\0\x80\0', 'latin1'), `${COMPRESSED} lzma`],
    ['a 7z archive', 'csv', bytes("7z\xbc\xaf'\x1c", 'latin1'), found('a 7z archive')],
    ['a RAR archive', 'csv', bytes('Rar!\x1a\x07\x01\0', 'latin1'), found('a RAR archive')],
    ['a tar archive', 'csv', `u.csv${'\0'.repeat(252)}ustar`, found('a tar archive')],
    ['a Parquet file', 'csv', 'PAR1\x15\x04', found('a Parquet file')],
    ['an Avro file', 'csv', 'Obj\x01', found('an Avro file')],
    ['a database', 'csv', 'SQLite format 3\0', found('an SQLite database')],
    ['a PDF document', 'csv', '%PDF-1.4\n', found('a PDF document')],
    ['an HTML page', 'csv', '<!DOCTYPE html>\n<title>Sign in</title>', found('an HTML page')],
    ['XML', 'json', '\ufeff<?xml version="1.0"?><users/>', found('XML')],

    ['JSON other than a list', 'json', '"x"', `stdin:1:1: expected a JSON array, found '"'`],
    [
      'JSON without the list',
      'json',
      '{"people":[]}',
      'stdin:1:14: the object has no array "users"',
    ],
    [
      'JSON with no list under the name',
      'json',
      '{"users":7}',
      'stdin:1:10: "users" is not an array',
    ],
    [
      'JSON cut off',
      'json',
      '[\n{"userId":"a"},\n{"use',
      'stdin:3:1: the JSON ends inside the value that begins here',
    ],
    [
      'JSON with a wrong comma',
      'json',
      '[{"userId":"a"},\n  {"userId":"b",}]',
      "stdin:2:17: expected a field name, found '}'",
    ],
    ['JSON with a missing record', 'json', '[{},\n]', "stdin:2:1: expected a record, found ']'"],
    [
      'JSON with more behind it',
      'json',
      '[]\n{}',
      'stdin:2:1: unexpected text after the end of the JSON',
    ],
    [
      'a number that would lose digits',
      'json',
      '[{"userId":12345678901234567890}]',
      'stdin:1:12: the number 12345678901234567890 would lose digits',
    ],
    [
      'deep nesting',
      'json',
      `[${'['.repeat(101)}${']'.repeat(101)}]`,
      'stdin:1:102: nested more than 100 levels deep',
    ],

    [
      'a broken line',
      'ndjson',
      '{"userId":"a"}\n\n{"userId" "b"}',
      "stdin:3:11: expected ':', found '\"'",
    ],
    [
      'deep nesting in a line',
      'ndjson',
      `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
      'stdin:1:105: nested more than 100 levels deep',
    ],

    [
      'a flood of columns',
      'csv',
      `userId${',a'.repeat(100_000)}\n`,
      'stdin:1: the header has more than 100,000 columns',
    ],
    ['a header twice', 'csv', 'userId,name,name\n', "stdin:1: two columns are named 'name'"],
    [
      'a header without a name',
      'csv',
      'userId,,name\nu1,x,Ada\n',
      'stdin:2: column 2 has no name, but a value',
    ],
    ['a missing id column', 'csv', '\nname\nx\n', "stdin:2: the column 'userId' is missing"],
    [
      'an extra column',
      'csv',
      'userId,name\na,"x\ny"\nb,y,z\n',
      'stdin:4: the row has 3 cells, but the header has 2',
    ],
    ['a row cut off', 'csv', 'userId,name\na', 'stdin:2: the row has 1 cell, but the header has 2'],
    [
      'a quote left open',
      'csv',
      'userId,name\na,x\nb,"y\nc,z\n',
      'stdin:3:3: the quote is not closed',
    ],
    [
      'text behind a quote',
      'csv',
      'userId,name\na,"x"y\n',
      'stdin:2:3: text after a closing quote',
    ],

    [
      'a row without its last cell, in the middle',
      'csv',
      'userId,name\na,x\nb\nc,y\n',
      'stdin:3: the row has 1 cell',
    ],

    ['YAML other than a list', 'yaml', 'a: b\n', 'stdin:1:1: expected a list of records'],
    [
      'YAML with a field twice',
      'yaml',
      '- userId: a\n  userId: b\n',
      'stdin:2:3: a field occurs twice in one record',
    ],
    [
      'YAML with a wrong indent',
      'yaml',
      '- userId: a\n   name: b\n',
      'stdin:1:11: nested mappings are not allowed in compact mappings',
    ],
    [
      'two YAML documents',
      'yaml',
      '- userId: a\n---\n- userId: b\n',
      'stdin:2:1: a second document begins here',
    ],
    [
      'a YAML document after the end',
      'yaml',
      '- userId: a\n...\n- userId: b\n',
      'stdin:3:1: a second document begins here',
    ],
    [
      'YAML with text after the list',
      'yaml',
      '- userId: a\nname: b\n',
      "stdin:2:1: expected the next '- ', or the end",
    ],
    [
      'YAML with the list twice',
      'yaml',
      'users:\n- userId: a\nusers:\n- userId: b\n',
      "stdin:3:1: 'users' occurs twice",
    ],
    [
      'a broken item far into YAML',
      'yaml',
      '- userId: a\n- userId: b\n- userId: "c\n',
      'stdin:4:1: ',
    ],
    [
      'an unknown alias',
      'yaml',
      '- *a\n',
      'stdin:1:3: unresolved alias (the anchor must be set before the alias): a',
    ],
    ['an alias bomb', 'yaml', bomb(), 'stdin:8:3: more than 100 aliases in one record'],
  ])('%s', SLOW, async (_, format, input, message) => {
    const wholly = await refusal(input, format);
    expect(wholly.failure).toBe('invalid_input');
    expect(wholly.message).toContain(message);
    const inPieces = await refusal(input, format, Math.max(1000, Math.ceil(input.length / 100)));
    expect(inPieces.message).toBe(wholly.message);
  });

  it.each([
    ['8 MB', `[${`{userId: ${'a'.repeat(1_000)}}, `.repeat(9_000)}]`],
    ['100,000 records', `users:\n${'- {}\n'.repeat(100_001)}`],
    [
      '16 MB of text that aliases repeat',
      `- &all {${fields(5_000)}}\n${`- <<: [${'*all,'.repeat(90)}]\n`.repeat(5)}`,
    ],
    ['2 million values', `- &all [${'a,'.repeat(50_000)}]\n${'- *all\n'.repeat(100)}`],
  ])('YAML of more than %s', SLOW, async (limit, text) => {
    const { message, hint } = await refusal(text, 'yaml');
    expect(message).toBe(`stdin: YAML input is limited to ${limit}`);
    const path = limit.endsWith('records') ? '.users[]' : '.[]';
    // The numbers 0123 and 1e5 stay texts.
    expect(hint).toContain(
      `yq -o json -I 0 'explode(.) | ${path} | (.. | select(tag == "!!int" or tag == "!!float" or tag == "!!bool")) tag = "!!str"' > `,
    );
  });

  it.each(['userId\x1fname\nu1\x1fAda\n', 'userId~name\nu1~Ada\n'])(
    'a separator that is not detected: %j',
    async (text) => {
      const separator = text.charAt(6);
      expect((await refusal(text, 'csv')).hint).toMatch(
        separator === '~' ? "add --separator '~'" : String.raw`add --separator $'\x1f'`,
      );
    },
  );

  it.each(['[{"userId":"a"}]', '{"users":[]}', '[\n{"userId":"a"}\n]'])(
    'JSON under the name of a CSV file: %j',
    async (text) => {
      expect((await refusal(text, 'csv')).hint).toBe('for JSON, add --input-format json');
    },
  );

  it('cells in single quotes', async () => {
    expect((await refusal("'userId','name'\n'u1','Ada'\n", 'csv')).hint).toBe(
      'replace the single quotes around the cells with double quotes, or remove them',
    );
  });

  it('a space before a quote', async () => {
    expect((await refusal('userId,name\nu1, "Lovelace, Ada"\n', 'csv')).hint).toBe(
      'remove the spaces before the quotes',
    );
  });

  it.each(['user', 'data', 'result'])('an object around a record: %s', async (name) => {
    const { message } = await refusal(`{"${name}":{"name":"Ada"}}`, 'json');
    expect(message).toContain('the object has no array "users"');
  });

  it.each<[string, string, number[]]>([
    ['windows-1251', 'Иван', [0xc8, 0xe2, 0xe0, 0xed]],
    ['shift_jis', '田中太郎', [0x93, 0x63, 0x92, 0x86, 0x91, 0xbe, 0x98, 0x59]],
    ['macintosh', 'Jürgen', [0x4a, 0x9f, 0x72, 0x67, 0x65, 0x6e]],
    ['ibm866', 'Иван', [0x88, 0xa2, 0xa0, 0xad]],
  ])('text in %s, without a wrong suggestion', async (_, __, name) => {
    const text = Buffer.concat([Buffer.from('userId,name\nu1,'), Buffer.from(name)]);
    const { message, hint } = await refusal(text, 'csv');
    expect(message).toMatch(/^stdin:2:\d: byte 0x\w\w is not UTF-8$/);
    expect(hint).toContain('save the file as UTF-8, or name its encoding');
  });

  it.each([
    ['@a', 'put the value in quotes'],
    ['%a', 'put the value in quotes'],
    ['a: b', "put a value that contains ': ' in quotes"],
    ['- a', "put a value that begins with '-' in quotes"],
    ['*a', "put a value that begins with '*' in quotes"],
    ['{{ a }}', "put a value that begins with '{' or '[' in quotes"],
    ['x\n  name:a', 'put a space after the colon of a field'],
  ])('a YAML value that needs quotes: %j', async (value, hint) => {
    expect((await refusal(`- userId: ${value}\n`, 'yaml')).hint).toContain(hint);
  });

  it.each(['"userId,name"\n"a,b"\n', 'userId,name\n"a,b"\n'])(
    'rows that are single quoted cells: %j',
    async (text) => {
      expect((await refusal(text, 'csv')).hint).toBe(
        'remove the quotes around the rows: each is a single cell',
      );
    },
  );

  it('a footer, which is shown', async () => {
    const { message, hint } = await refusal('userId,name\na,b\n(1 row)\n', 'csv');
    expect(message).toBe("stdin:3: the row has 1 cell, but the header has 2: '(1 row)'");
    expect(hint).toBe('check that the file is complete, and remove lines that are not records');
  });

  it.each([
    '+--------+\n| userId |\n+--------+\n| a      |\n+--------+\n',
    '┌────────┬──────┐\n│ userId │ name │\n└────────┴──────┘\n',
    ' userId | name\n--------+------\n a      | b\n',
    'userId     name\na          b\n',
  ])('a table of a terminal: %j', async (text) => {
    for (const format of ['csv', undefined] as const)
      expect((await refusal(text, format)).message).toMatch(
        /^stdin:[12]: expected CSV, found a text table/,
      );
  });

  it.each(['#userId', 'userId*', 'userId (required)', 'userId:string', 'users.userId'])(
    'a column named %s, without a wrong separator',
    async (column) => {
      expect((await refusal(`${column},name\na,b\n`, 'csv')).hint).toContain(`${column}=userId`);
    },
  );

  it('YAML that would take too much memory', SLOW, async () => {
    const { message } = await refusal(`[${'a,'.repeat(600_000)}]`, 'yaml');
    expect(message).toBe('stdin: the YAML has too many values');
  });

  it('also if the nesting exhausts the stack', SLOW, async () => {
    for (const open of ['[', '{a: ', '- ', '? '])
      expect((await refusal(open.repeat(20_000), 'yaml')).message).toMatch(
        /^stdin:1:\d+: nested more than 100 levels deep$/,
      );
  });

  it('for any chunk boundaries', async () => {
    const latin1 = bytes('["aé\u00ef"]', 'latin1');
    const csv = 'userId,name\na,x\nb,"y\nc,z\n';
    for (const size of [1, 2, 3, 4]) {
      expect((await refusal(latin1, 'json', size)).message).toBe(
        'stdin:1:4: byte 0xe9 is not UTF-8 (Windows-1252: "é"); add --encoding windows-1252',
      );
      expect((await refusal(csv, 'csv', size)).message).toBe('stdin:3:3: the quote is not closed');
    }
  });
});

function fields(count: number): string {
  return Array.from({ length: count }, (_, at) => `"k${at}":1`).join();
}

/** A list whose last item follows more aliases than a record may. */
function bomb(): string {
  return `- &a [x]\n${'- [x]\n'.repeat(6)}- [${Array(101).fill('*a').join(',')}]\n`;
}

describe('a reader that stops at an error', () => {
  it.each([
    ['JSON', '[{},,'],
    ['CSV', 'userId\n"x"y\n'],
  ])('closes the bytes of %s', async (format, start) => {
    let isClosed = false;
    async function* bytes() {
      try {
        for (let at = 0; at < 3; at += 1) yield Buffer.from(start.padEnd(8_192));
      } finally {
        isClosed = true;
      }
    }
    const text = await decodeInputText(bytes(), 'file');
    const request = {
      name: 'file',
      listName: 'users',
      knownFields: ['userId'],
      targetFields: [],
      id: 'userId',
    };
    const open = createSourceReader(async () => ({ ...text, head: '' }), {
      ...request,
      format: format === 'CSV' ? 'csv' : 'json',
    });
    const reading = async () => {
      const source = await open();
      for await (const records of source.recordChunks) expect(records).not.toHaveLength(0);
    };
    await expect(reading()).rejects.toThrow('file:');
    expect(isClosed).toBe(true);
  });
});
