export interface Glyphs {
  readonly ellipsis: string;
  /** Spinner frames, all of the same width. */
  readonly spinnerFrames: readonly string[];
  /** The completed and the remaining cell of a bar. */
  readonly bar: readonly [done: string, left: string];
}

export const UNICODE_GLYPHS: Glyphs = {
  ellipsis: '…',
  spinnerFrames: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
  bar: ['█', '░'],
};

export const ASCII_GLYPHS: Glyphs = { ellipsis: '...', spinnerFrames: ['|', '/', '-', '\\'], bar: ['#', '.'] };

/** ASCII replacements for characters in svc's messages. */
const ASCII_REPLACEMENTS = new Map([
  ['…', ASCII_GLYPHS.ellipsis],
  ['→', '->'],
]);

/** Replaces the special characters in svc's own messages, for a terminal that supports only ASCII. */
export function toAscii(text: string): string {
  return text.replace(/[…→]/g, (glyph) => ASCII_REPLACEMENTS.get(glyph) ?? glyph);
}
