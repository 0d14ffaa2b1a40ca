/** What stands for a NUL, and before what stands for the character itself. */
const ESCAPE = '\u0001';
const NUL = `${ESCAPE}\u0001`;
const ESCAPED = `${ESCAPE}\u0002`;

/**
 * A text as PostgreSQL can hold it, which takes every character but NUL. Two texts stay in the order that they have, and
 * what neither holds NUL nor U+0001, as nearly every text does, stays as it is.
 */
export function storedText(text: string): string {
  if (!text.includes('\0') && !text.includes(ESCAPE)) return text;
  return text.replaceAll(ESCAPE, ESCAPED).replaceAll('\0', NUL);
}

/** The text that `storedText` was made of. */
export function plainText(stored: string): string {
  if (!stored.includes(ESCAPE)) return stored;
  return stored.replaceAll(NUL, '\0').replaceAll(ESCAPED, ESCAPE);
}
