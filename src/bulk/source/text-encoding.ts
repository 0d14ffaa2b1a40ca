import { TextDecoder } from 'node:util';

/** The encoding of a text file. */
export interface TextEncoding {
  /** A name of the Encoding Standard, such as `windows-1252`. */
  readonly name: string;
  /** Whether the file starts with a byte order mark. */
  readonly hasMark: boolean;
}

export const UTF_8: TextEncoding = { name: 'utf-8', hasMark: false };

/** Whether svc cannot detect the encoding of a file from its content. */
export function needsEncodingFlag({ name, hasMark }: TextEncoding): boolean {
  return name !== 'utf-8' && !hasMark;
}

/** Encodings that svc cannot write, because their characters have more than two bytes or modes. */
const UNSUPPORTED = new Set(['euc-jp', 'iso-2022-jp', 'x-user-defined']);

/**
 * Finds the encoding with a label of the Encoding Standard: `latin1` is `windows-1252`. Undefined
 * if svc does not support it.
 */
export function findEncoding(label: string): string | undefined {
  try {
    const { encoding } = new TextDecoder(label);
    // GBK is read like GB 18030, which extends it.
    if (encoding === 'gb18030') return 'gbk';
    return UNSUPPORTED.has(encoding) ? undefined : encoding;
  } catch {
    return undefined;
  }
}

/** Creates a function that encodes text of an input in the encoding of the input. */
export function createTextEncoder({ name }: TextEncoding): (text: string) => Uint8Array {
  switch (name) {
    case 'utf-8':
      return (text) => Buffer.from(text);
    case 'utf-16le':
      return (text) => Buffer.from(text, 'utf16le');
    case 'utf-16be':
      return (text) => Buffer.from(text, 'utf16le').swap16();
    default: {
      const bytes = createByteTable(name);
      const encode = (character: string) =>
        name === 'gbk'
          ? (bytes.get(character) ?? findFourBytes(character))
          : bytesOf(character, bytes);
      return (text) => Buffer.concat(Array.from(text, encode));
    }
  }
}

type ByteTable = ReadonlyMap<string, Uint8Array>;

/** @throws TypeError if the character cannot come from a text in the encoding */
function bytesOf(character: string, table: ByteTable): Uint8Array {
  const bytes = table.get(character);
  if (!bytes) throw new TypeError('a character that the encoding of the input does not have');
  return bytes;
}

/** Number of sequences of four bytes in GB 18030 before those of supplementary characters. */
const [BASIC_SEQUENCES, FIRST_SUPPLEMENTARY] = [39_420, 189_000];

/** Returns the four bytes of a character in GB 18030, whose sequences are in the order of characters. */
function findFourBytes(character: string): Uint8Array {
  const decoder = new TextDecoder('gbk');
  const bytesAt = (at: number) =>
    Uint8Array.of(
      0x81 + Math.floor(at / 12_600),
      0x30 + (Math.floor(at / 1260) % 10),
      0x81 + (Math.floor(at / 10) % 126),
      0x30 + (at % 10),
    );
  const code = character.codePointAt(0) ?? 0;
  if (code > 0xffff) return bytesAt(FIRST_SUPPLEMENTARY + code - 0x10000);
  let [from, to] = [0, BASIC_SEQUENCES];
  while (to - from > 1) {
    const middle = Math.floor((from + to) / 2);
    if (decoder.decode(bytesAt(middle)) <= character) from = middle;
    else to = middle;
  }
  return bytesAt(from);
}

/** Decodes every sequence of one and two bytes, so that the table is the inverse of the decoder. */
function createByteTable(encoding: string): ByteTable {
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  const table = new Map<string, Uint8Array>();
  const add = (bytes: Uint8Array): boolean => {
    const text = decoder.decode(bytes);
    const isCharacter = text !== '' && !text.includes('\ufffd') && [...text].length === 1;
    if (isCharacter && !table.has(text)) table.set(text, bytes);
    return isCharacter;
  };
  for (let first = 0; first < 256; first += 1) {
    if (add(Uint8Array.of(first))) continue;
    for (let second = 0x40; second < 256; second += 1) add(Uint8Array.of(first, second));
  }
  return table;
}
