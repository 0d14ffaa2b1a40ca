const [QUOTE, COMMA, COLON, BRACE, BRACE_END, SPACE] = Buffer.from('",:{} ');
/** Matches escapes and control characters, which this parser does not support. Without them, a quote ends a string. */
const UNSUPPORTED = /[^ -[\]-\uFFFF]/;
/** Matches a number, boolean, or null, up to the delimiter that follows. */
const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d{0,300}))(?=[,} ])/y;

/** Whether a response reports success for exactly these IDs, in order. Much faster than parsing; false if unsure. */
export function confirmsAll(text: string, ids: readonly string[]): boolean {
  if (UNSUPPORTED.test(text) || ids.some((id) => id.includes('"'))) return false;
  return new ConfirmationParser(text, ids).parse();
}

/** Scans a response once. Each method consumes the syntax element in its name and returns whether the element was present. */
class ConfirmationParser {
  readonly #text: string;
  readonly #ids: readonly string[];
  #at = 0;
  #succeeded = false;

  constructor(text: string, ids: readonly string[]) {
    this.#text = text;
    this.#ids = ids;
  }

  parse(): boolean {
    const whole = this.#character(BRACE) && this.#key('result') && this.#result() && this.#character(BRACE_END);
    this.#skipSpaces();
    return whole && this.#at === this.#text.length;
  }

  #result(): boolean {
    let [status, data] = [0, 0];
    const members = this.#members(() => {
      if (this.#key('status')) {
        status += 1;
        return this.#word('"success"');
      }
      if (!this.#key('data')) return this.#anyKey() && this.#scalar();
      data += 1;
      return this.#items();
    });
    return members && status === 1 && data === 1;
  }

  #items(): boolean {
    let next = 0;
    const members = this.#members(() => {
      const id = this.#ids[next];
      next += 1;
      return id !== undefined && this.#key(id) && this.#item();
    });
    return members && next === this.#ids.length;
  }

  #item(): boolean {
    this.#succeeded = false;
    return this.#members(this.#itemMember) && this.#succeeded;
  }

  readonly #itemMember = (): boolean => {
    if (!this.#key('success')) return this.#anyKey() && this.#scalar();
    this.#succeeded = true;
    return this.#word('true');
  };

  #members(member: () => boolean): boolean {
    if (!this.#character(BRACE)) return false;
    do if (!member()) return false;
    while (this.#character(COMMA));
    return this.#character(BRACE_END);
  }

  #key(name: string): boolean {
    this.#skipSpaces();
    const start = this.#at;
    const end = start + 1 + name.length;
    if (this.#text.charCodeAt(end) === QUOTE && this.#text.startsWith(name, start + 1) && this.#character(QUOTE)) {
      this.#at = end + 1;
      if (this.#character(COLON)) return true;
    }
    this.#at = start;
    return false;
  }

  #anyKey(): boolean {
    return this.#quoted() && this.#character(COLON);
  }

  #scalar(): boolean {
    if (this.#quoted()) return true;
    SCALAR.lastIndex = this.#at;
    if (!SCALAR.test(this.#text)) return false;
    this.#at = SCALAR.lastIndex;
    return true;
  }

  #quoted(): boolean {
    if (!this.#character(QUOTE)) return false;
    const end = this.#text.indexOf('"', this.#at);
    this.#at = end + 1;
    return end >= 0;
  }

  #word(word: string): boolean {
    this.#skipSpaces();
    if (!this.#text.startsWith(word, this.#at)) return false;
    this.#at += word.length;
    return true;
  }

  #character(character: number | undefined): boolean {
    this.#skipSpaces();
    if (this.#text.charCodeAt(this.#at) !== character) return false;
    this.#at += 1;
    return true;
  }

  #skipSpaces(): void {
    while (this.#text.charCodeAt(this.#at) === SPACE) this.#at += 1;
  }
}
