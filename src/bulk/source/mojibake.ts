import { TextDecoder } from 'node:util';

/** Matches two characters of Windows-1252 that may be the bytes of one character of UTF-8. */
const MAY_BE_MOJIBAKE = /[\u00c2-\u00f4][\u0080-\u00bf\u0152-\u0192\u02c6\u02dc\u2013-\u2122]/;

const BEYOND_ASCII = /[^\0-\x7f]+/g;

/** Bytes of the characters that Windows-1252 has at other places than Unicode. */
const OTHER_BYTES: ReadonlyMap<string, number> = new Map(
  Array.from({ length: 0x20 }, (_, at) => [
    new TextDecoder('windows-1252').decode(Uint8Array.of(0x80 + at)),
    0x80 + at,
  ]),
);

/**
 * Finds the text that a program decoded as Windows-1252 although it was UTF-8: `Müller` for
 * `MÃ¼ller`. Undefined for any other text.
 */
export function findMojibake(text: string): string | undefined {
  if (!MAY_BE_MOJIBAKE.test(text)) return undefined;
  const repaired = text.replace(BEYOND_ASCII, (characters) => decode(characters) ?? characters);
  return repaired === text ? undefined : repaired;
}

function decode(text: string): string | undefined {
  const bytes: number[] = [];
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const byte = OTHER_BYTES.get(character) ?? (code <= 0xff ? code : undefined);
    if (byte === undefined) return undefined;
    bytes.push(byte);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes));
  } catch {
    return undefined;
  }
}
