/** Escape character: NUL is stored as ESCAPE U+0001, and ESCAPE itself as ESCAPE U+0002. */
const ESCAPE = '\u0001';
const ESCAPED_NUL = `${ESCAPE}\u0001`;
const ESCAPED_ESCAPE = `${ESCAPE}\u0002`;

/**
 * Encodes NUL, which PostgreSQL cannot store. Keeps the sort order. Text without NUL and U+0001
 * stays unchanged.
 */
export function encodeText(text: string): string {
  if (!text.includes('\0') && !text.includes(ESCAPE)) return text;
  return text.replaceAll(ESCAPE, ESCAPED_ESCAPE).replaceAll('\0', ESCAPED_NUL);
}

export function decodeText(stored: string): string {
  if (!stored.includes(ESCAPE)) return stored;
  return stored.replaceAll(ESCAPED_NUL, '\0').replaceAll(ESCAPED_ESCAPE, ESCAPE);
}
