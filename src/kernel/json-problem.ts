import { MOST_NESTING } from './json-nesting.ts';

/** What is wrong with a number of a text, and what to do about it. */
interface NumberProblem {
  readonly problem: string;
  readonly hint: string;
}

/** What is wrong with a JSON text that is valid as such, and where, counted from its beginning. */
export interface JsonProblem extends Partial<NumberProblem> {
  readonly offset: number;
  readonly problem: string;
}

/** What JSON allows and svc would not send as it was written, given the text and its parsed value. */
export function jsonProblem(value: unknown, text: string): JsonProblem | undefined {
  return isKept(value, 1) ? undefined : valueProblem(text);
}

/** Whether a value surely is what svc keeps as it is: not too deep, and no number so large that it may have lost digits. */
function isKept(value: unknown, depth: number): boolean {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (typeof value !== 'object' || value === null) return true;
  if (depth > MOST_NESTING) return false;
  if (Array.isArray(value)) return value.every((inner) => isKept(inner, depth + 1));
  const fields = value as Readonly<Record<string, unknown>>;
  for (const field in fields) {
    const inner = fields[field];
    if (typeof inner !== 'string' && !isKept(inner, depth + 1)) return false;
  }
  return true;
}

function valueProblem(text: string): JsonProblem | undefined {
  let depth = 0;
  for (const { 0: token, index: offset } of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[{]|[\]}]|-?\d[\d.eE+-]*/g)) {
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    else {
      const wrong = numberProblem(token);
      if (wrong) return { offset, ...wrong };
    }
    if (depth > MOST_NESTING) return { offset, problem: `nested more than ${MOST_NESTING} levels deep` };
  }
  return undefined;
}

/** What is wrong with a number that svc would not write out as it was read: it has too many digits, or is too large. */
export function numberProblem(token: string): NumberProblem | undefined {
  if (/^-?\d{16,}$/.test(token) && String(Number(token)) !== token) {
    return { problem: `the number ${token} would lose digits`, hint: 'put it in quotes: an id is text' };
  }
  if (!/^-?\d/.test(token) || Number.isFinite(Number(token))) return undefined;
  return { problem: `the number ${token} is too large`, hint: 'put it in quotes if it is text' };
}
