import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { PlainScalar } from '../../../src/bulk/source/plain-scalar.ts';
import type { InputFormat } from '../../../src/catalog/bulk-options.ts';
import { read, refusal } from './read-records.ts';

const values = async (input: string | Uint8Array, format?: InputFormat, size?: number) =>
  (await read(input, format, size)).records.map(({ value }) => value);

describe('text of every common encoding', () => {
  const text = '[{"userId":"é🌻"}]';
  const records = [{ userId: 'é🌻' }];

  it.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`)],
    ['UTF-16LE with its mark', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16LE without', Buffer.from(text, 'utf16le')],
    ['UTF-16BE with its mark', Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
    ['UTF-16BE without', Buffer.from(text, 'utf16le').swap16()],
  ])('%s', async (_, bytes) => {
    for (const size of [1, 3, 1000]) expect(await values(bytes, 'json', size)).toEqual(records);
  });
});

it.each<[InputFormat, string]>([
  ['csv', 'userId\na\n'],
  ['csv', 'userId\na'],
  ['json', '[{"userId":"a"}]'],
  ['ndjson', '{"userId":"a"}\n'],
  ['yaml', '- userId: a\n'],
])('%s with the mark at its end that the copy command of Windows writes', async (format, text) => {
  for (const size of [1, 1000])
    expect(await values(`${text}\x1a`, format, size)).toEqual([{ userId: 'a' }]);
});

it('compressed text in several parts, with zeros at its end', async () => {
  const parts = ['userId\nu1\n', 'u2\n'].map((text) => gzipSync(text));
  const records = [{ userId: 'u1' }, { userId: 'u2' }];
  for (const zeros of [0, 1, 512, 200_000])
    for (const size of [1000, 65_536, 1_000_000]) {
      const bytes = Buffer.concat([...parts, Buffer.alloc(zeros)]);
      expect(await values(bytes, 'csv', size)).toEqual(records);
    }
});

describe('the format of stdin', () => {
  it.each<[string, InputFormat]>([
    ['[{"userId":"a"}]', 'json'],
    ['\n  {\n"users":[]}', 'json'],
    ['{"users":[{"userId":"a"}]}', 'json'],
    ['{"userId":"a"}', 'ndjson'],
    ['{"userId":"a"}\n{"userId":"b"}', 'ndjson'],
    ['userId,name\na,b\n', 'csv'],
    ['"name";"userId"\nb;a\n', 'csv'],
    ['userId\na\n', 'csv'],
    ['status,message,data\nsuccess,ok,"[{""userId"":""a""}]"\n', 'csv'],
    ['- userId: a\n', 'yaml'],
    ['# users\n---\n- userId: a\n', 'yaml'],
    ['users:\n- userId: a\n', 'yaml'],
    ['status: success\nmessage: ok\ndata:\n  - userId: a\n', 'yaml'],
  ])('is detected from its start: %j', async (text, format) => {
    expect((await read(text)).format).toBe(format);
  });

  it('is required if it cannot be detected', async () => {
    expect(await refusal('login,name\na,b\n')).toMatchObject({
      failure: 'usage',
      message: 'cannot detect the format of stdin',
      hint: 'add --input-format json, ndjson, csv, yaml, or xlsx',
    });
  });
});

it.each<InputFormat>(['json', 'ndjson'])('objects on one line, as %s', async (format) => {
  expect(await values('{"userId":"a"} {"userId":"b"}\n', format)).toEqual([
    { userId: 'a' },
    { userId: 'b' },
  ]);
});

describe('CSV', () => {
  it('keeps IDs as text, and the content of quotes', async () => {
    const rows =
      'userId,name\r\n0123,"A ""q"", x\r\ny"\r\nno,\r\n1e5,"z\r"\r\n12345678901234567890,ü';
    expect(await values(rows, 'csv', 1)).toEqual([
      { userId: '0123', name: 'A "q", x\r\ny' },
      { userId: 'no' },
      { userId: '1e5', name: 'z\r' },
      { userId: '12345678901234567890', name: 'ü' },
    ]);
  });

  it('can end lines with several CR, as scripts write them on Windows', async () => {
    const records = [
      { userId: 'a', name: 'b' },
      { userId: 'c', name: 'd' },
    ];
    expect(await values('userId,name\r\r\na,b\r\r\nc,"d"\r\r\n', 'csv')).toEqual(records);
  });

  it('can have invisible characters around the names of columns', async () => {
    expect(await values('userId\u200b,\ufeffname\na,b\n', 'csv')).toEqual([
      { userId: 'a', name: 'b' },
    ]);
  });

  it('can end lines with CR, or with mixed line ends', async () => {
    expect(await values('userId\ra\rb', 'csv')).toEqual([{ userId: 'a' }, { userId: 'b' }]);
    expect(await values('userId,name\na,b\r\nc,"d"\r\ne,f\n', 'csv')).toEqual([
      { userId: 'a', name: 'b' },
      { userId: 'c', name: 'd' },
      { userId: 'e', name: 'f' },
    ]);
  });

  it('keeps unknown columns', async () => {
    const { records } = await read('userId,emial,__proto__\na,b,c\n', 'csv');
    expect(Object.entries(records[0]?.value ?? {})).toEqual([
      ['userId', 'a'],
      ['emial', 'b'],
      ['__proto__', 'c'],
    ]);
  });

  it.each(['sep=;\r\n', 'sep=;\n', '"sep=;"\n', 'SEP=;\r'])(
    'takes the separator from a first line %j',
    async (first) => {
      const end = first.replace(/^.*;"?/, '');
      for (const size of [1, 1000]) {
        const { records, preamble } = await read(
          `${first}userId;name${end}a;x, y${end}b;"z"${end}`,
          'csv',
          size,
        );
        expect(records.map(({ value, line }) => [value, line])).toEqual([
          [{ userId: 'a', name: 'x, y' }, 3],
          [{ userId: 'b', name: 'z' }, 4],
        ]);
        expect(preamble).toBe(`${first}userId;name`);
      }
    },
  );

  it('accepts any separator that a first line names, and rejects a file without a header after it', async () => {
    expect(await values('sep=|\nuserId|na,me\na|b\n', 'csv')).toEqual([
      { userId: 'a', 'na,me': 'b' },
    ]);
    expect((await refusal('sep=;\n', 'csv')).message).toBe('stdin: the header is missing');
    expect(await values('userId,sep=;\na,b\n', 'csv')).toEqual([{ userId: 'a', 'sep=;': 'b' }]);
  });

  it.each([
    ['user_id,name', '--map user_id=userId'],
    ['name,id', '--map id=userId'],
    ['User,name', '--map User=userId'],
    [
      'User ID;E-Mail Address;Full Name',
      "--map 'User ID=userId' --map 'E-Mail Address=email' --map 'Full Name=name'",
    ],
  ])('suggests the columns that may be the ID and other fields: %s', async (header, flags) => {
    const { message, hint } = await refusal(`${header}\n`, 'csv');
    expect([message, hint]).toEqual([
      `stdin:1: the column 'userId' is missing; the columns are: ${header.split(/[,;]/).join(', ')}`,
      `add ${flags}`,
    ]);
  });

  it('suggests no column that has another meaning', async () => {
    expect((await refusal('name,email\n', 'csv')).hint).toBe(
      "name the column of the ID: --map '<column>=userId'",
    );
  });
});

describe('YAML', () => {
  it('keeps IDs as text, merges shared defaults, and reads empty values as null', async () => {
    const text =
      '- &base {userId: 0123, name: no, email: }\n- <<: *base\n  userId: 1e5\n- userId: "~"\n  name: ""\n';
    expect(await values(text, 'yaml')).toEqual([
      { userId: '0123', name: 'no', email: null },
      { userId: new PlainScalar('1e5'), name: 'no', email: null },
      { userId: '~', name: '' },
    ]);
  });

  it('reads every form of null, and keys as text', async () => {
    const text =
      '- {a: null, b: ~, c: , d: !!null "", e: Null, f: "null", 1: x, null: y, true: z}\n';
    expect(await values(text, 'yaml')).toEqual([
      { a: null, b: null, c: null, d: null, e: null, f: 'null', '1': 'x', null: 'y', true: 'z' },
    ]);
  });
});

describe('JSON', () => {
  it('keeps IDs and unsafe property names', async () => {
    const [record] = await values(
      '[{"userId":"12345678901234567890","__proto__":{"a":1}}]',
      'json',
    );
    expect(Object.keys(record ?? {})).toEqual(['userId', '__proto__']);
  });

  it('accepts whole numbers up to the last safe one, and fractions of many digits', async () => {
    const text = '[9007199254740991,-9007199254740991,0.30000000000000004,"12345678901234567890"]';
    expect(await values(text, 'json')).toEqual(JSON.parse(text));
  });
});
