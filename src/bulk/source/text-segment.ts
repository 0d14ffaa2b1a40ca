/** Patterns of characters and texts that suspicious values may contain. */
type Unusual = readonly RegExp[];

/**
 * Control characters, and the characters of template variables. They are in several short classes, because
 * V8 searches faster for classes of up to about 15 characters.
 */
const UNUSUAL_IN_ROWS: Unusual = [
  /[\0-\t\v\f]/,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
  /[\x0e-\x1b]/,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
  /[\x1c-\x1f\x7f&$<>%[\]{}\\]/,
];
/** Excludes brackets, and control characters except DEL, which JSON escapes. */
const UNUSUAL_IN_JSON: Unusual = [/[\x7f&$<>%\\]/, /\{\{/, /\[object /];
const LONE_RETURN = /\r[^\n]/;

/** A part of a file's text that consists of records. */
export class TextSegment {
  readonly name: string;
  readonly text: string;
  readonly #unusual: Unusual;
  #isPlain: boolean | undefined;

  private constructor(name: string, text: string, unusual: Unusual) {
    this.name = name;
    this.text = text;
    this.#unusual = unusual;
  }

  static ofJson(name: string, text: string): TextSegment {
    return new TextSegment(name, text, UNUSUAL_IN_JSON);
  }

  static ofRows(name: string, text: string): TextSegment {
    return new TextSegment(name, text, UNUSUAL_IN_ROWS);
  }

  /** Whether the values are known to consist of ordinary characters, so that no check needs to read them. */
  get isPlain(): boolean {
    // V8 inlines only short functions, and this one runs for each record.
    return this.#isPlain ?? this.#findWhetherPlain();
  }

  #findWhetherPlain(): boolean {
    const { text } = this;
    this.#isPlain =
      Buffer.byteLength(text) === text.length &&
      !this.#unusual.some((characters) => characters.test(text)) &&
      !(text.includes('\r') && LONE_RETURN.test(text));
    return this.#isPlain;
  }
}
