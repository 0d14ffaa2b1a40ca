import { type SyntaxProblem, syntaxProblem } from './json-syntax.ts';
import { InputError, type Place, placeWithin } from './record.ts';

/** Deeper values would exhaust the stack of whoever writes them out again. */
const MOST_NESTING = 100;

/**
 * The value of one JSON text that stands at `place` of an input.
 * @throws SvcError `bad_data` with line and column: not JSON, nested too deep, or a whole number that would lose digits.
 */
export function parseJson(text: string, name: string, place: Place): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw problemAt(name, place, text, syntaxProblem(text) ?? { offset: 0, problem: 'not valid JSON' });
  }
  const lost = isKept(value, 1) ? undefined : valueProblem(text);
  if (lost) throw problemAt(name, place, text, lost);
  return value;
}

function problemAt(name: string, place: Place, text: string, { offset, problem, hint }: SyntaxProblem) {
  return new InputError(name, placeWithin(text, offset, place), problem, hint);
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

/** What JSON allows and svc would not keep as it is. */
function valueProblem(text: string): SyntaxProblem | undefined {
  let depth = 0;
  for (const { 0: token, index: offset } of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[{]|[\]}]|-?\d[\d.eE+-]*/g)) {
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    else if (losesDigits(token)) {
      return { offset, problem: `the number ${token} would lose digits`, hint: 'put it in quotes: an id is text' };
    }
    if (depth > MOST_NESTING) return { offset, problem: `nested more than ${MOST_NESTING} levels deep` };
  }
  return undefined;
}

/** Whether a whole number would be written out differently from how it was read. */
export function losesDigits(token: string): boolean {
  return /^-?\d{16,}$/.test(token) && String(Number(token)) !== token;
}
