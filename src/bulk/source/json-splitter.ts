import { closingQuote } from '../../kernel/json-nesting.ts';
import { JsonRecord, type TextRange } from './json-record.ts';
import { InputError, MAX_RECORD_CHARACTERS, type Position } from './source.ts';
import { TextSegment } from './text-segment.ts';

const [QUOTE, COMMA, COLON] = [0x22, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const [TAB, LINE_FEED, RETURN, SPACE] = [0x09, 0x0a, 0x0d, 0x20];

/**
 * JSON text up to the next `,`, `:`, `]`, or `}` of its nesting level, without the surrounding
 * whitespace.
 */
export class JsonPiece extends JsonRecord {
  readonly stop: string;

  constructor(
    segment: TextSegment,
    span: TextRange & { readonly stop: string },
    position: Position,
  ) {
    super(segment, span, position);
    this.stop = span.stop;
  }
}

/**
 * Splits JSON text into pieces as chunks arrive. Tracks only strings and brackets; `parseJson`
 * validates the pieces.
 */
export class JsonSplitter {
  readonly #chunks: AsyncIterator<string>;
  readonly #name: string;
  #segment: TextSegment;
  #next = 0;
  /** End of the scanned part of the piece at `#next`, and the number of open brackets there. */
  #scanned = 0;
  #depth = 0;
  /**
   * Line number at `#scanned`, and the offsets of that line's start and of the last carriage
   * return, which may be negative.
   */
  #line = 1;
  #lineStart = 0;
  #lastReturn = -2;
  #start: Position = { line: 1, column: 1 };
  isAtEnd = false;

  constructor(chunks: AsyncIterable<string>, name: string) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#name = name;
    this.#segment = TextSegment.ofJson(name, '');
  }

  get position(): Position {
    return this.#scanned > this.#next ? this.#start : this.#positionOf(this.#next);
  }

  /** Consumes the next object or list. Returns `undefined` if more text is needed. */
  nextValue(): JsonPiece | undefined {
    if (!this.#skipSpace()) return undefined;
    if (this.#scanned === this.#next) this.#start = this.#positionOf(this.#next);
    const last = this.#findStop(true);
    if (last === undefined) return undefined;
    const piece = new JsonPiece(
      this.#segment,
      { from: this.#next, to: last + 1, stop: '' },
      this.#start,
    );
    this.#moveTo(last + 1);
    return piece;
  }

  /** Consumes the next piece and its stop character. Returns `undefined` if more text is needed. */
  nextPiece(): JsonPiece | undefined {
    if (!this.#skipSpace()) return undefined;
    if (this.#scanned === this.#next) this.#start = this.#positionOf(this.#next);
    const stop = this.#findStop(false);
    if (stop === undefined) return undefined;
    const { text } = this.#segment;
    let end = stop;
    while (end > this.#next && isSpace(text.charCodeAt(end - 1))) end -= 1;
    const piece = new JsonPiece(
      this.#segment,
      { from: this.#next, to: end, stop: text.charAt(stop) },
      this.#start,
    );
    this.#moveTo(stop + 1);
    return piece;
  }

  /**
   * Reads more text: at least as much as is not yet consumed, so that long pieces take linear time. At
   * the end of the input, sets `isAtEnd`.
   */
  async readMore(): Promise<void> {
    const left = this.#segment.text.length - this.#next;
    let more = '';
    do {
      const { value, done } = await this.#chunks.next();
      if (done) this.isAtEnd = true;
      else more += value;
    } while (!this.isAtEnd && more.length < left);
    this.#append(more);
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  /**
   * Returns the next character after whitespace without consuming it; `undefined` if more text is needed.
   */
  peek(): string | undefined {
    return this.#skipSpace() ? this.#segment.text.charAt(this.#next) : undefined;
  }

  take(): void {
    this.#moveTo(this.#next + 1);
  }

  /** @throws SvcError `invalid_input` at the end of the input, and for a piece that is too long */
  requireMore(): void {
    if (this.isAtEnd)
      throw this.#error(
        'the JSON ends inside the value that begins here',
        'check that the file is complete',
      );
    if (this.#segment.text.length - this.#next > MAX_RECORD_CHARACTERS)
      throw this.#error(
        'the record is longer than 16 MB',
        'check for an unclosed quote or bracket',
      );
  }

  #error(problem: string, hint: string): InputError {
    return new InputError(this.#name, this.position, problem, hint);
  }

  #positionOf(at: number): Position {
    return { line: this.#line, column: at - this.#lineStart + 1 };
  }

  #append(chunk: string): void {
    const taken = this.#next;
    const text = this.#segment.text.slice(taken) + chunk;
    this.#segment = TextSegment.ofJson(this.#name, text);
    this.#next = 0;
    this.#scanned -= taken;
    this.#lineStart -= taken;
    this.#lastReturn -= taken;
  }

  #moveTo(at: number): void {
    this.#next = at;
    this.#scanned = at;
    this.#depth = 0;
  }

  /** Moves past whitespace. Returns false at the end of the available text. */
  #skipSpace(): boolean {
    if (this.#scanned > this.#next) return true;
    const { text } = this.#segment;
    let at = this.#next;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === LINE_FEED || code === RETURN) this.#countLine(code, at);
      else if (code !== SPACE && code !== TAB) break;
    }
    this.#moveTo(at);
    return at < text.length;
  }

  /**
   * Finds the offset where the piece at `#next` stops; `undefined` if the available text ends
   * first.
   * @param atClose whether it stops at the bracket that closes its first one
   */
  #findStop(atClose: boolean): number | undefined {
    const { text } = this.#segment;
    let depth = this.#depth;
    let at = this.#scanned;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        const close = closingQuote(text, at + 1);
        if (close === -1) break;
        at = close;
      } else if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1;
      else if (
        depth === 0 &&
        (code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT || code === COLON)
      )
        return at;
      else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
        depth -= 1;
        if (atClose && depth === 0) return at;
      } else if (code === LINE_FEED || code === RETURN) this.#countLine(code, at);
    }
    this.#scanned = at;
    this.#depth = depth;
    return undefined;
  }

  /** Counts a line break at `at`. CRLF counts once. */
  #countLine(code: number, at: number): void {
    if (code === RETURN || this.#lastReturn !== at - 1) this.#line += 1;
    if (code === RETURN) this.#lastReturn = at;
    this.#lineStart = at + 1;
  }
}

function isSpace(code: number): boolean {
  return code === SPACE || code === LINE_FEED || code === RETURN || code === TAB;
}
