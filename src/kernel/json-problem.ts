import { MAX_NESTING } from './json-nesting.ts';

export interface JsonProblem {
  readonly offset: number;
  readonly problem: string;
  readonly hint?: string;
}

/** Finds the first value in a valid JSON text that svc cannot send as written. */
export function findJsonProblem(value: unknown, text: string): JsonProblem | undefined {
  return isPreserved(value, 1) ? undefined : locateProblem(text);
}

function isPreserved(value: unknown, depth: number): boolean {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (typeof value !== 'object' || value === null) return true;
  if (depth > MAX_NESTING) return false;
  if (Array.isArray(value)) return value.every((inner) => isPreserved(inner, depth + 1));
  const fields = value as Readonly<Record<string, unknown>>;
  for (const field in fields) {
    const inner = fields[field];
    if (typeof inner !== 'string' && !isPreserved(inner, depth + 1)) return false;
  }
  return true;
}

function locateProblem(text: string): JsonProblem | undefined {
  let depth = 0;
  for (const { 0: token, index: offset } of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[{]|[\]}]|-?\d[\d.eE+-]*/g)) {
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    else {
      const numberProblem = findNumberProblem(token);
      if (numberProblem) return { offset, ...numberProblem };
    }
    if (depth > MAX_NESTING) return { offset, problem: `nested more than ${MAX_NESTING} levels deep` };
  }
  return undefined;
}

/** Describes why svc cannot preserve a number: too many digits, or out of range. */
export function findNumberProblem(token: string): Omit<JsonProblem, 'offset'> | undefined {
  if (/^-?\d{16,}$/.test(token) && String(Number(token)) !== token) {
    return { problem: `the number ${token} would lose digits`, hint: 'put it in quotes: IDs are text' };
  }
  if (!/^-?\d/.test(token) || Number.isFinite(Number(token))) return undefined;
  return { problem: `the number ${token} is too large`, hint: 'put it in quotes if it is text' };
}
