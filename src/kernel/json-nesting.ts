const [QUOTE, BACKSLASH, BRACKET, BRACE, BRACKET_END, BRACE_END, COMMA, COLON] = Buffer.from('"\\[{]},:');

/** Maximum nesting of arrays and objects in files, flags, and deliveries, far below the limit of the stack. */
export const MAX_NESTING = 100;

/** Call before parsing: deep nesting can overflow the stack of a recursive parser. */
export function nestsDeeperThan(max: number, json: string): boolean {
  return hasMoreBracketsThan(max, json) && reachesDepth(max + 1, json);
}

/** Whether a text has more than `max` opening brackets, including those in strings. Rules out most texts quickly. */
function hasMoreBracketsThan(max: number, json: string): boolean {
  let remaining = max;
  for (const bracket of ['{', '[']) {
    for (let at = json.indexOf(bracket); at >= 0; at = json.indexOf(bracket, at + 1)) {
      remaining -= 1;
      if (remaining < 0) return true;
    }
  }
  return false;
}

function reachesDepth(goal: number, json: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charCodeAt(at);
    if (character === QUOTE) inString = !inString;
    else if (inString && character === BACKSLASH) at += 1;
    else if (inString) continue;
    else if (character === BRACKET || character === BRACE) depth += 1;
    else if (character === BRACKET_END || character === BRACE_END) depth -= 1;
    if (depth >= goal) return true;
  }
  return false;
}

/** Counts brackets, commas, and colons outside strings. Call before parsing: a token takes far more memory than its text. */
export function hasMoreTokensThan(max: number, json: string): boolean {
  if (json.length <= max) return false;
  let remaining = max;
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charCodeAt(at);
    if (character === QUOTE) at = endOfString(json, at);
    else if (character === COMMA || character === COLON || character === BRACE || character === BRACKET) remaining -= 1;
    if (remaining < 0) return true;
  }
  return false;
}

function endOfString(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at += 1) {
    const character = json.charCodeAt(at);
    if (character === QUOTE) return at;
    if (character === BACKSLASH) at += 1;
  }
  return json.length;
}
