const [QUOTE, BACKSLASH, BRACKET, BRACE, BRACKET_END, BRACE_END, COMMA, COLON] =
  Buffer.from('"\\[{]},:');
/**
 * Maximum nesting of arrays and objects in files, flags, and deliveries, far below the limit of the
 * stack.
 */
export const MAX_NESTING = 100;

/** Call before parsing: deep nesting can overflow the stack of a recursive parser. */
export function nestsDeeperThan(max: number, json: string): boolean {
  return measureJson(json).nesting > max;
}

interface JsonMeasures {
  readonly nesting: number;
  readonly tokens: number;
  readonly colons: number;
}

/**
 * Counts levels, and brackets, commas, and colons outside strings: a token takes far more memory
 * when parsed than as text.
 */
export function measureJson(json: string): JsonMeasures {
  let [nesting, tokens, colons, depth] = [0, 0, 0, 0];
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charCodeAt(at);
    if (character === QUOTE) {
      at = closingQuote(json, at + 1);
      if (at === -1) break;
    } else if (character === BRACKET || character === BRACE) {
      tokens += 1;
      depth += 1;
      if (depth > nesting) nesting = depth;
    } else if (character === BRACKET_END || character === BRACE_END) {
      tokens += 1;
      depth -= 1;
    } else if (character === COMMA) tokens += 1;
    else if (character === COLON) colons += 1;
  }
  return { nesting, tokens: tokens + colons, colons };
}

/**
 * Finds the offset of the quote that closes the string starting at `from`; -1 if the text ends
 * first.
 */
export function closingQuote(json: string, from: number): number {
  for (let quote = json.indexOf('"', from); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    if (json.charCodeAt(quote - 1) !== BACKSLASH) return quote;
    let escapes = 0;
    while (quote - escapes > from && json.charCodeAt(quote - escapes - 1) === BACKSLASH)
      escapes += 1;
    if (escapes % 2 === 0) return quote;
  }
  return -1;
}
