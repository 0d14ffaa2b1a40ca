import { TextDecoder } from 'node:util';
import { once } from '../../kernel/once.ts';

/** A wrong encoding in which programs decode UTF-8. */
interface Misreading {
  /** Matches texts that may be decoded wrongly. Characters that names contain must occur twice. */
  readonly mark: RegExp;
  readonly bytes: () => ReadonlyMap<string, number>;
}

/** The characters of the bytes from 128 to 226 in two code pages of DOS. */
const [CP437, CP850] = [
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓ',
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔ',
];

/**
 * Matches the first byte of a character in UTF-8, followed by `next` bytes. Czech letters before quotation
 * marks look the same, so scripts other than Latin need two such characters.
 */
function createMark(next: string): RegExp {
  return new RegExp(
    `[\u00c2-\u00c5]${next}|\u00e2${next}{2}|\u00f0[\u009f\u0178]|(?:[\u00c6-\u00df]${next}){2}|(?:[\u00e0-\u00ef]${next}{2}){2}`,
  );
}

const MISREADINGS: readonly Misreading[] = [
  {
    mark: createMark('[\u0080-\u00bf\u0152-\u0192\u02c6\u02dc\u2013-\u2122]'),
    bytes: once(
      () => new Map([...numberBytes(LATIN_1), ...numberBytes(readCharset('windows-1252'))]),
    ),
  },
  {
    mark: /(?:[РС][^\0-\x7f]){2}|[A-Za-z][В-Е][^\0-\x7f]|[В-Е][^\0-\x7f][A-Za-z]/,
    bytes: once(() => numberBytes(readCharset('windows-1251'))),
  },
  {
    mark: /[¬√≈ƒ][^\0-\x7f]|‚Ä|(?:[–—][^\0-\x7f]){2}/,
    bytes: once(() => numberBytes(readCharset('macintosh'))),
  },
  { mark: /[├┬┼╨╤][^\0-\x7f]|ΓÇ/, bytes: once(() => numberBytes([...CP437])) },
  { mark: /[├┬┼][^\0-\x7f]|ÔÇ|(?:[ðÐ][^\0-\x7f]){2}/, bytes: once(() => numberBytes([...CP850])) },
];

const LATIN_1 = Array.from({ length: 0x80 }, (_, at) => String.fromCharCode(0x80 + at));
const BEYOND_ASCII = /[^\0-\x7f]+/g;

/**
 * Finds the original of a text in UTF-8 that a program decoded in another encoding: `Müller` for
 * `MÃ¼ller`. Undefined for any other text.
 */
export function findMojibake(text: string): string | undefined {
  let found: string | undefined;
  // Some texts were decoded wrongly more than once.
  for (let next = repair(text); next !== undefined; next = repair(next)) found = next;
  return found;
}

function repair(text: string): string | undefined {
  for (const { mark, bytes } of MISREADINGS) {
    if (!mark.test(text)) continue;
    const repaired = text.replace(
      BEYOND_ASCII,
      (characters) => decode(characters, bytes()) ?? characters,
    );
    if (repaired !== text) return repaired;
  }
  return undefined;
}

function readCharset(name: string): readonly string[] {
  const decoder = new TextDecoder(name);
  return LATIN_1.map((_, at) => decoder.decode(Uint8Array.of(0x80 + at)));
}

function numberBytes(characters: readonly string[]): ReadonlyMap<string, number> {
  return new Map(characters.map((character, at) => [character, 0x80 + at]));
}

function decode(text: string, byteOf: ReadonlyMap<string, number>): string | undefined {
  const bytes = [...text].map((character) => byteOf.get(character));
  if (bytes.includes(undefined)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes as number[]));
  } catch {
    return undefined;
  }
}
