const [QUOTE, BACKSLASH, BRACKET, BRACE, BRACKET_END, BRACE_END, COMMA, COLON] = Buffer.from('"\\[{]},:');

/** Levels of arrays and objects that svc reads in files, flags and deliveries: far below what would exhaust the stack. */
export const MOST_NESTING = 100;

/**
 * Whether arrays and objects of a JSON text stand deeper inside each other than that. It is told before anything parses
 * the text: a parser or an expression that recurses is what hostile nesting is out for.
 */
export function nestsDeeperThan(most: number, json: string): boolean {
  return hasMoreBrackets(most, json) && reachesDepth(most + 1, json);
}

/** Whether there are more opening brackets than that, texts included: most texts need no closer look. */
function hasMoreBrackets(most: number, json: string): boolean {
  let left = most;
  for (const bracket of ['{', '[']) {
    for (let at = json.indexOf(bracket); at >= 0; at = json.indexOf(bracket, at + 1)) {
      left -= 1;
      if (left < 0) return true;
    }
  }
  return false;
}

/** One pass over the characters. */
function reachesDepth(goal: number, json: string): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charCodeAt(at);
    if (character === QUOTE) inText = !inText;
    else if (inText && character === BACKSLASH) at += 1;
    else if (inText) continue;
    else if (character === BRACKET || character === BRACE) depth += 1;
    else if (character === BRACKET_END || character === BRACE_END) depth -= 1;
    if (depth >= goal) return true;
  }
  return false;
}

/**
 * Whether a JSON text has more opening brackets, commas and colons than that, those inside texts aside. It is told before
 * anything parses the text: what a parser makes of `[{},{},…]` takes thirty times the memory of its text.
 */
export function hasMoreMarksThan(most: number, json: string): boolean {
  if (json.length <= most) return false;
  let left = most;
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charCodeAt(at);
    if (character === QUOTE) at = endOfText(json, at);
    else if (character === COMMA || character === COLON || character === BRACE || character === BRACKET) left -= 1;
    if (left < 0) return true;
  }
  return false;
}

/** The place of the quote that ends a text which begins at a quote; the end of the JSON text where there is none. */
function endOfText(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at += 1) {
    const character = json.charCodeAt(at);
    if (character === QUOTE) return at;
    if (character === BACKSLASH) at += 1;
  }
  return json.length;
}
