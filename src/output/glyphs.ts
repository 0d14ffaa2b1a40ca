export interface Glyphs {
  readonly ellipsis: string;
  readonly spinnerFrames: readonly string[];
  readonly bar: readonly [done: string, left: string];
}

export const UNICODE_GLYPHS: Glyphs = {
  ellipsis: '…',
  spinnerFrames: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
  bar: ['█', '░'],
};

export const ASCII_GLYPHS: Glyphs = { ellipsis: '...', spinnerFrames: ['|', '/', '-', '\\'], bar: ['#', '.'] };

const ASCII_REPLACEMENTS = new Map([
  ['…', ASCII_GLYPHS.ellipsis],
  ['→', '->'],
]);

/** Replaces the special characters in svc's own messages, for a terminal that supports only ASCII. */
export function toAscii(text: string): string {
  return text.replace(/[…→]/g, (glyph) => ASCII_REPLACEMENTS.get(glyph) ?? glyph);
}
