import { JsonRecord, type Span, type Stretch } from './json-record.ts';
import { InputError, MOST_RECORD_CHARACTERS, type Place } from './record.ts';

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const [TAB, LINE_FEED, RETURN, SPACE] = [0x09, 0x0a, 0x0d, 0x20];

/** A stretch of JSON up to the next `,` `:` `]` or `}` of its own level, without the white space around it. */
export class Piece extends JsonRecord {
  readonly stop: string;

  constructor(around: Stretch, span: Span & { readonly stop: string }, place: Place) {
    super(around, span, place);
    this.stop = span.stop;
  }
}

/**
 * Cuts a JSON text that comes in chunks into pieces, looking only at strings and brackets. It holds one chunk and one
 * piece at a time; whether a piece is valid is for JSON.parse to say.
 */
export class JsonSplitter {
  readonly #chunks: AsyncIterator<string>;
  readonly #name: string;
  #text = '';
  /** The first character not given out yet. */
  #at = 0;
  /** How far the piece that begins at `#at` has been looked at, and the brackets open there. */
  #seen = 0;
  #depth = 0;
  /** The line of `#seen`, where that line begins, and the last carriage return; both may lie before the text held. */
  #line = 1;
  #lineStart = 0;
  #lastReturn = -2;
  /** Where the piece that begins at `#at` stands. */
  #start: Place = { line: 1, column: 1 };

  constructor(chunks: AsyncIterable<string>, name: string) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#name = name;
  }

  /** Of the first character not given out yet. */
  get place(): Place {
    return this.#seen > this.#at ? this.#start : this.#placeOf(this.#at);
  }

  /** The next piece, its stop taken as well; `undefined` when more text has to come first. */
  piece(): Piece | undefined {
    if (!this.#skipSpace()) return undefined;
    if (this.#seen === this.#at) this.#start = this.#placeOf(this.#at);
    const stop = this.#findStop();
    if (stop === undefined) return undefined;
    const text = this.#text;
    let end = stop;
    while (end > this.#at && isSpace(text.charCodeAt(end - 1))) end -= 1;
    const piece = new Piece(
      { name: this.#name, text },
      { from: this.#at, to: end, stop: text.charAt(stop) },
      this.#start,
    );
    this.#moveTo(stop + 1);
    return piece;
  }

  /** Takes in the next chunk. @throws SvcError `bad_data` when there is none. */
  async more(): Promise<void> {
    const { value, done } = await this.#chunks.next();
    if (done) throw this.#error('the JSON ends inside what begins here', 'is the file complete?');
    this.#append(value);
    if (this.#text.length > MOST_RECORD_CHARACTERS) {
      throw this.#error('a record of more than 16 MB', 'is a quote or a bracket left open?');
    }
  }

  /** The first character that is not white space, not taken; `undefined` at the end of the input. */
  async peek(): Promise<string | undefined> {
    while (!this.#skipSpace()) {
      const { value, done } = await this.#chunks.next();
      if (done) return undefined;
      this.#append(value);
    }
    return this.#text.charAt(this.#at);
  }

  /** Takes the character that `peek` showed. */
  take(): void {
    this.#moveTo(this.#at + 1);
  }

  #error(problem: string, hint: string): InputError {
    return new InputError(this.#name, this.place, problem, hint);
  }

  #placeOf(at: number): Place {
    return { line: this.#line, column: at - this.#lineStart + 1 };
  }

  #append(chunk: string): void {
    const taken = this.#at;
    this.#text = this.#text.slice(taken) + chunk;
    this.#at = 0;
    this.#seen -= taken;
    this.#lineStart -= taken;
    this.#lastReturn -= taken;
  }

  #moveTo(at: number): void {
    this.#at = at;
    this.#seen = at;
    this.#depth = 0;
  }

  /** Moves to the next character that is not white space; false when the text held ends before one. */
  #skipSpace(): boolean {
    if (this.#seen > this.#at) return true;
    const text = this.#text;
    let at = this.#at;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === LINE_FEED || code === RETURN) this.#countLine(code, at);
      else if (code !== SPACE && code !== TAB) break;
    }
    this.#moveTo(at);
    return at < text.length;
  }

  /** Where the piece at `#at` stops; `undefined` when the text held ends before that. */
  #findStop(): number | undefined {
    const text = this.#text;
    let depth = this.#depth;
    let at = this.#seen;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        const close = closingQuote(text, at + 1);
        if (close === -1) break;
        at = close;
      } else if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1;
      else if (depth === 0 && (code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT || code === COLON))
        return at;
      else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
      else if (code === LINE_FEED || code === RETURN) this.#countLine(code, at);
    }
    this.#seen = at;
    this.#depth = depth;
    return undefined;
  }

  /** A line break at `at`; the line feed of a CRLF counts no second time. */
  #countLine(code: number, at: number): void {
    if (code === RETURN || this.#lastReturn !== at - 1) this.#line += 1;
    if (code === RETURN) this.#lastReturn = at;
    this.#lineStart = at + 1;
  }
}

function isSpace(code: number): boolean {
  return code === SPACE || code === LINE_FEED || code === RETURN || code === TAB;
}

/** The quote that ends the string whose content begins at `from`; -1 when the text ends before it. */
function closingQuote(text: string, from: number): number {
  for (let quote = text.indexOf('"', from); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    if (text.charCodeAt(quote - 1) !== BACKSLASH) return quote;
    let escapes = 0;
    while (quote - escapes > from && text.charCodeAt(quote - escapes - 1) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return quote;
  }
  return -1;
}
