const [QUOTE, COMMA, COLON, BRACE, BRACE_END, SPACE] = Buffer.from('",:{} ');

/** What texts here don't hold, so that a quote is always the end of one: escapes, and what JSON does not allow in them. */
const SPECIAL = /[^ -[\]-\uFFFF]/;

/** What a value that is no text ends with. */
const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d{0,300}))(?=[,} ])/y;

/**
 * Whether an answer is an envelope of success with one item for each of these ids, in their order and no others, each
 * with a literal `"success":true`. That is what most answers to a batch are, and seeing it takes a fraction of the time
 * of parsing. Made for no other form: `false` says only that the answer has to be parsed to know.
 */
export function confirmsAll(answer: string, ids: readonly string[]): boolean {
  if (SPECIAL.test(answer) || ids.some((id) => id.includes('"'))) return false;
  return new Confirmation(answer, ids).holds();
}

/** One pass over the text of an answer. Each method reads what it is named after, and says whether it was there. */
class Confirmation {
  readonly #text: string;
  readonly #ids: readonly string[];
  #at = 0;
  /** The item that is being read says so. */
  #succeeded = false;

  constructor(text: string, ids: readonly string[]) {
    this.#text = text;
    this.#ids = ids;
  }

  holds(): boolean {
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

  /** Made once, since there are many items. */
  readonly #itemMember = (): boolean => {
    if (!this.#key('success')) return this.#anyKey() && this.#scalar();
    this.#succeeded = true;
    return this.#word('true');
  };

  /** An object of at least one member. */
  #members(member: () => boolean): boolean {
    if (!this.#character(BRACE)) return false;
    do if (!member()) return false;
    while (this.#character(COMMA));
    return this.#character(BRACE_END);
  }

  /** This key and its colon; goes on from where it was when it is another one. */
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
