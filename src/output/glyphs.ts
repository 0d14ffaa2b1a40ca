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

export const ASCII_GLYPHS: Glyphs = {
  ellipsis: '...',
  spinnerFrames: ['|', '/', '-', '\\'],
  bar: ['#', '.'],
};

/**
 * Replaces the special characters in svc's own messages, for a terminal that supports only ASCII.
 */
export function toAscii(text: string): string {
  return text.replaceAll('…', ASCII_GLYPHS.ellipsis).replaceAll('→', '->');
}
