import { MAX_NESTING } from './json-nesting.ts';

export interface JsonProblem {
  readonly offset: number;
  readonly problem: string;
  readonly hint?: string;
}

export function findJsonProblem(value: unknown, text: string): JsonProblem | undefined {
  return isPreserved(value, 1) ? undefined : locateJsonProblem(text);
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

/** Describes why svc cannot preserve a number: too many digits, or out of range. */
export function findNumberProblem(token: string): Omit<JsonProblem, 'offset'> | undefined {
  if (/^-?\d{16,}$/.test(token) && String(Number(token)) !== token)
    return {
      problem: `the number ${token} would lose digits`,
      hint: 'put it in quotes: IDs are text',
    };
  if (!/^-?\d/.test(token) || Number.isFinite(Number(token))) return undefined;
  return { problem: `the number ${token} is too large`, hint: 'put it in quotes if it is text' };
}

const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids control characters inside a string
  /(?<text>"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\u0000-\u001f]*)*")|(?<word>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)(?!\w))|(?<mark>[[\]{},:])/y;

type Expected =
  | 'a value'
  | "a value or ']'"
  | 'a field name'
  | "a field name or '}'"
  | "':'"
  | "',' or the end";

/**
 * Finds the first problem of a JSON text: its syntax, its nesting, or a number. JSON.parse may give
 * no position.
 */
export function locateJsonProblem(text: string): JsonProblem | undefined {
  const open: string[] = [];
  let expected: Expected = 'a value';
  for (let offset = 0; ; offset = TOKEN.lastIndex) {
    const at = text.slice(offset).search(/[^ \t\r\n]|$/) + offset;
    const complete: boolean = open.length === 0 && expected === "',' or the end";
    if (at === text.length)
      return complete
        ? undefined
        : { offset: at, problem: `unexpected end of the text, expected ${expected}` };
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.groups;
    const numberProblem = findNumberProblem(token?.['word'] ?? '');
    if (numberProblem) return { offset: at, ...numberProblem };
    const next: Expected | undefined = token && nextExpected(expected, token, open);
    if (!next)
      return {
        offset: at,
        ...describeUnexpected(text, at, complete ? 'the end' : expected, token === undefined),
      };
    if (open.length > MAX_NESTING)
      return { offset: at, problem: `nested more than ${MAX_NESTING} levels deep` };
    expected = next;
  }
}

/** Returns the expectation after a token; `undefined` if the token itself is not allowed here. */
function nextExpected(
  expected: Expected,
  token: Readonly<Record<string, string | undefined>>,
  open: string[],
): Expected | undefined {
  const { text, word, mark } = token;
  const inObject = open.at(-1) === '{';
  if (mark === ']' || mark === '}') {
    const empty = mark === ']' ? expected === "a value or ']'" : expected === "a field name or '}'";
    const closes = open.at(-1) === (mark === ']' ? '[' : '{');
    if (!closes || !(empty || expected === "',' or the end")) return undefined;
    open.pop();
    return "',' or the end";
  }
  switch (expected) {
    case 'a value':
    case "a value or ']'":
      if (text !== undefined || word !== undefined) return "',' or the end";
      if (mark !== '[' && mark !== '{') return undefined;
      open.push(mark);
      return mark === '[' ? "a value or ']'" : "a field name or '}'";
    case 'a field name':
    case "a field name or '}'":
      return text === undefined ? undefined : "':'";
    case "':'":
      return mark === ':' ? 'a value' : undefined;
    case "',' or the end":
      if (mark !== ',' || open.length === 0) return undefined;
      return inObject ? 'a field name' : 'a value';
  }
}

function describeUnexpected(
  text: string,
  at: number,
  expected: string,
  unreadable: boolean,
): Omit<JsonProblem, 'offset'> {
  const found = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (unreadable && found === '"')
    return { problem: 'the string is not closed, or contains a line break or an invalid escape' };
  return {
    problem: `expected ${expected}, found '${found}'`,
    ...(found === "'" && { hint: 'JSON requires double quotes' }),
  };
}
