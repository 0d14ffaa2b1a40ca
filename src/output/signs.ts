/** What svc draws beside text, and stands for text that has no room. */
export interface Signs {
  readonly ellipsis: string;
  /** What turns while something is waited for, all of one width. */
  readonly turning: readonly string[];
  /** What a bar is made of: done, and to do. */
  readonly bar: readonly [done: string, left: string];
}

export const DRAWN: Signs = {
  ellipsis: '…',
  turning: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
  bar: ['█', '░'],
};

export const ASCII: Signs = { ellipsis: '...', turning: ['|', '/', '-', '\\'], bar: ['#', '.'] };

/** Signs within sentences. */
const WRITTEN = new Map([
  ['…', ASCII.ellipsis],
  ['→', '->'],
]);

/** A text of ours, for a terminal that knows ASCII alone. What is no sign of ours stays. */
export function inAscii(text: string): string {
  return text.replace(/[…→]/g, (sign) => WRITTEN.get(sign) ?? sign);
}
