import { TextDecoder } from 'node:util';
import { describe, expect, it } from 'vitest';
import { decodeInputText, type TextOptions } from '../../../src/bulk/source/input-text.ts';
import { createTextEncoder, findEncoding } from '../../../src/bulk/source/text-encoding.ts';

async function* chunksOf(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function decode(bytes: Uint8Array, options: TextOptions = {}, size = 65_536) {
  const text = await decodeInputText(chunksOf(bytes, size), 'export.csv', {
    hasEncodingFlag: true,
    ...options,
  });
  return { text: (await Array.fromAsync(text.chunks)).join(''), encoding: text.encoding };
}

const problemOf = async (bytes: Uint8Array, options?: TextOptions, size?: number) => {
  const error = await decode(bytes, options, size).then(
    () => undefined,
    (thrown) => thrown,
  );
  return { message: error?.message, hint: error?.hint };
};

const latin1 = (text: string) => Buffer.from(text, 'latin1');

describe('findEncoding', () => {
  it.each([
    ['Windows-1252', 'windows-1252'],
    ['cp1252', 'windows-1252'],
    ['latin1', 'windows-1252'],
    ['utf-16', 'utf-16le'],
    ['utf8', 'utf-8'],
    ['sjis', 'shift_jis'],
    ['gb18030', 'gbk'],
  ])('finds %s', (label, name) => expect(findEncoding(label)).toBe(name));

  it.each(['', 'cp850', 'utf-7', 'iso-2022-jp'])('does not find %j', (label) =>
    expect(findEncoding(label)).toBeUndefined(),
  );
});

describe('the encoder of an encoding', () => {
  const SINGLE_BYTE = [
    'windows-1250',
    'windows-1252',
    'windows-1258',
    'iso-8859-15',
    'macintosh',
    'koi8-u',
    'ibm866',
    'x-mac-cyrillic',
  ];

  it.each(SINGLE_BYTE)('of %s writes every character as it was read', (name) => {
    const decoder = new TextDecoder(name);
    const encode = createTextEncoder({ name, hasMark: false });
    for (let byte = 1; byte < 256; byte += 1) {
      const text = decoder.decode(Uint8Array.of(byte));
      if (text !== '\ufffd') expect([...encode(text)], String(byte)).toEqual([byte]);
    }
  });

  it.each([
    ['shift_jis', '山田 太郎,ﾀﾛｳ,表'],
    ['gbk', '张伟,李娜,㐁,ß,ǹ,𠀀😀'],
    ['big5', '陳大文'],
    ['euc-kr', '김철수'],
    ['utf-8', 'é🌻'],
    ['utf-16le', 'é🌻'],
    ['utf-16be', 'é🌻'],
  ])('of %s writes what is read back', async (name, text) => {
    const bytes = createTextEncoder({ name, hasMark: false })(`name\n${text}\n`);
    for (const size of [1, 3, 1000])
      expect((await decode(bytes, { encoding: name }, size)).text).toBe(`name\n${text}\n`);
  });
});

describe('a text with a given encoding', () => {
  const bytes = latin1('userId,name\r\nu1,M\xfcller \x80\r\n');

  it('is decoded, for any chunk boundaries', async () => {
    for (const size of [1, 5, 1000])
      expect(await decode(bytes, { encoding: 'windows-1252' }, size)).toEqual({
        text: 'userId,name\r\nu1,Müller €\r\n',
        encoding: { name: 'windows-1252', hasMark: false },
      });
  });

  it('has the encoding of its byte order mark if it has one', async () => {
    for (const encoding of ['utf8', 'utf16le'] as const) {
      const marked = Buffer.from('\ufeffné', encoding);
      const { text, encoding: found } = await decode(marked, { encoding: 'windows-1252' });
      expect([text, found.hasMark]).toEqual(['né', true]);
    }
  });

  it.each([
    ['windows-1253', 'a,b\nx,\xaa', '2:3', 'not valid windows-1253 text'],
    ['shift_jis', 'a,b\nx,\x81', '2:3', 'not valid shift_jis text'],
  ])('cannot contain bytes without a character: %s', async (encoding, text, at, problem) => {
    for (const size of [1, 3, 1000])
      expect(await problemOf(latin1(text), { encoding }, size)).toEqual({
        message: `export.csv:${at}: ${problem}`,
        hint: 'check that it is the right file and the right --encoding',
      });
  });

  it('can contain a replacement character in Unicode', async () => {
    const text = 'a\ufffdb';
    for (const encoding of ['utf8', 'utf16le'] as const)
      expect((await decode(Buffer.from(`\ufeff${text}`, encoding), {}, 1)).text).toBe(text);
  });
});

describe('the position of a byte that is not UTF-8', () => {
  const SUGGESTION = 'byte 0xfc is not UTF-8 (Windows-1252: "ü"); add --encoding windows-1252';

  it.each([
    ['line feeds', '\n'],
    ['CRLF', '\r\n'],
    ['carriage returns', '\r'],
  ])('counts lines that end with %s', async (_, end) => {
    const lines = [
      'userId,name',
      ...Array.from({ length: 6 }, (_, at) => `u${at},Ada`),
      'u7,Ada M\xfcller',
    ];
    const bytes = latin1(lines.join(end));
    for (const size of [1, 2, 7, 1000])
      expect((await problemOf(bytes, {}, size)).message).toBe(`export.csv:8:9: ${SUGGESTION}`);
  });

  it('counts characters, and suggests no encoding after characters of UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from('a\n🌻é,'), latin1('\xfc')]);
    for (const size of [1, 2, 3, 4, 1000])
      expect(await problemOf(bytes, {}, size)).toEqual({
        message: 'export.csv:2:4: byte 0xfc is not UTF-8 (Windows-1252: "ü")',
        hint: 'the text before it is UTF-8; correct the character',
      });
  });

  it('suggests no flag without a candidate, and no character for binary data', async () => {
    const hint = 'check that it is the right file, and save it as UTF-8';
    expect(await problemOf(latin1('M\xfc'), { hasEncodingFlag: false })).toEqual({
      message: 'export.csv:1:2: byte 0xfc is not UTF-8 (Windows-1252: "ü")',
      hint,
    });
    expect(await problemOf(latin1('\x89PNG\r\n\x1a\n'))).toEqual({
      message: 'export.csv:1:1: byte 0x89 is not UTF-8',
      hint,
    });
  });

  it.each([
    // Windows-1252
    ['Zo\xeb', true],
    ['\x93D\x92Angelo\x94', true],
    ['\x82Wort\x91', true],
    ['\xabcr\xe9\xe9\xbb', true],
    ['Paris\x96\xc9vry, 5 km\xb3', true],
    // Shift_JIS, Mac OS Roman, EUC-KR, GBK, CP850, and Windows-1250
    ['\x93\xfa\x96{', false],
    ['Zo\x91', false],
    ['\xb1\xe8\xb9\xce\xc1\xf6', false],
    ['\xcd\xf5\xb7\xbc', false],
    ['Jos\x82', false],
    ['Micha\xb3', false],
  ])('suggests Windows-1252 only for text that makes sense in it: %j', async (text, isWestern) => {
    const { message } = await problemOf(latin1(`u1,${text}\n`));
    expect([text, message.includes('add --encoding windows-1252')]).toEqual([text, isWestern]);
  });

  it('is that of a lone surrogate in UTF-16', async () => {
    for (const encoding of ['utf-16le', 'utf-16be']) {
      const bytes = createTextEncoder({ name: encoding, hasMark: false })('a\n🌻é\ud83cx');
      for (const size of [1, 2, 3, 4, 5, 1000])
        expect((await problemOf(bytes, { encoding }, size)).message).toBe(
          `export.csv:2:3: not valid ${encoding.toUpperCase()} text`,
        );
    }
  });
});
