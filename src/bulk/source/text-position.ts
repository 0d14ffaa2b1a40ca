import type { Position } from './source.ts';

/**
 * Tracks the position at the end of the text that was read so far. Columns count characters. The
 * first line break determines whether lines end with a line feed or with a carriage return.
 */
export class TextPosition {
  #line = 1;
  #characters = 0;
  #newline: string | undefined;
  /** A carriage return at the end of the text may be the first half of a CRLF. */
  #undecided = '';

  advance(text: string): void {
    const added = this.#undecided + text;
    this.#newline ??= /\n|\r(?=[^\n])/.exec(added)?.[0];
    this.#undecided = this.#newline === undefined && added.endsWith('\r') ? '\r' : '';
    let start = 0;
    if (this.#newline !== undefined) {
      for (
        let at = added.indexOf(this.#newline);
        at !== -1;
        at = added.indexOf(this.#newline, start)
      ) {
        this.#line += 1;
        this.#characters = 0;
        start = at + 1;
      }
    }
    this.#characters += countCharacters(added, start) - this.#undecided.length;
  }

  /** Returns the position after a text that follows the text so far. */
  after(text: string): Position {
    const position = new TextPosition();
    position.#line = this.#line;
    position.#characters = this.#characters;
    position.#newline = this.#newline;
    position.#undecided = this.#undecided;
    position.advance(text);
    return { line: position.#line, column: position.#characters + 1 };
  }
}

function countCharacters(text: string, start: number): number {
  let count = text.length - start;
  for (let at = start; at < text.length; at += 1) {
    const isHighSurrogate = (text.charCodeAt(at) & 0xfc00) === 0xd800;
    if (isHighSurrogate) count -= 1;
  }
  return count;
}
