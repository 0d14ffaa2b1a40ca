import { tryParseJson } from './json.ts';
import { closingQuote, MAX_NESTING, measureJson, nestsDeeperThan } from './json-nesting.ts';

export interface JsonProblem {
  readonly offset: number;
  readonly problem: string;
  readonly hint?: string;
}

/** Longer texts are measured first: levels take far more memory when parsed than as text. */
const MAX_UNMEASURED = 2 ** 20;

/**
 * Parses JSON text. The problem is the first part that is not valid, or that the value does not
 * preserve. Without valid JSON, there is no value.
 */
export function parseLosslessJson(text: string): {
  readonly value?: unknown;
  readonly problem?: JsonProblem | undefined;
} {
  const isTooDeep = text.length > MAX_UNMEASURED && nestsDeeperThan(MAX_NESTING, text);
  const value = isTooDeep ? undefined : tryParseJson(text);
  if (value !== undefined) return { value, problem: findJsonProblem(value, text) };
  return { problem: locateJsonProblem(text) ?? { offset: 0, problem: 'not valid JSON' } };
}

/**
 * Finds the first part of a valid JSON text that its parsed value does not preserve: a number that
 * loses digits, deep nesting, a repeated field, or half of a surrogate pair.
 */
export function findJsonProblem(value: unknown, text: string): JsonProblem | undefined {
  const shortest = measureShortest(value, 1);
  const problem = Number.isNaN(shortest) ? locateJsonProblem(text) : undefined;
  if (problem) return problem;
  // Repeated fields and escapes make a text longer, so most texts need no further search.
  if (shortest === text.length) return undefined;
  const isSuspect = text.includes('\\u') || measureJson(text).colons !== countFields(value);
  return isSuspect ? locateLostText(text) : undefined;
}

/** Returns the length of the shortest JSON text of a value; NaN if a number or its nesting is lost. */
function measureShortest(value: unknown, depth: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value === 'number') return measureNumber(value);
  if (typeof value !== 'object' || value === null) return value === false ? 5 : 4;
  if (depth > MAX_NESTING) return Number.NaN;
  // An opening bracket, and a comma or bracket after each member.
  let length = 1;
  if (Array.isArray(value)) {
    for (const inner of value) length += 1 + measureShortest(inner, depth + 1);
    return value.length === 0 ? 2 : length;
  }
  const fields = value as Readonly<Record<string, unknown>>;
  for (const field in fields)
    length += field.length + 4 + measureShortest(fields[field], depth + 1);
  return length === 1 ? 2 : length;
}

/** A lower bound, because `1e9` is shorter than its digits. */
function measureNumber(value: number): number {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return Number.NaN;
  return Number.isInteger(value) && Math.abs(value) < 1000 ? String(value).length : 1;
}

function countFields(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner: readonly unknown[] = Object.values(value);
  const own = Array.isArray(value) ? 0 : inner.length;
  return inner.reduce((sum: number, each) => sum + countFields(each), own);
}

const COLON = /\s*:/y;

/** Finds the first repeated field or half of a surrogate pair in a valid JSON text. */
function locateLostText(text: string): JsonProblem | undefined {
  const open: Set<string>[] = [];
  for (let offset = 0; offset < text.length; offset += 1) {
    const mark = text[offset];
    if (mark === '{' || mark === '[') open.push(new Set());
    else if (mark === '}' || mark === ']') open.pop();
    if (mark !== '"') continue;
    const end = closingQuote(text, offset + 1) + 1;
    const string: string = JSON.parse(text.slice(offset, end));
    if (!string.isWellFormed())
      return {
        offset,
        problem: 'the text contains half of a surrogate pair (\\ud800 to \\udfff)',
      };
    COLON.lastIndex = end;
    const names = COLON.test(text) ? open.at(-1) : undefined;
    if (names?.has(string))
      return {
        offset,
        problem: `the field '${string}' occurs twice in an object`,
        hint: 'keep one of the two values',
      };
    names?.add(string);
    offset = end - 1;
  }
  return undefined;
}

const MAX_SHOWN_DIGITS = 400;

/** Describes why svc cannot preserve a number: too many digits, or out of range. */
export function findNumberProblem(token: string): Omit<JsonProblem, 'offset'> | undefined {
  const shown = token.length > MAX_SHOWN_DIGITS ? `${token.slice(0, MAX_SHOWN_DIGITS)}…` : token;
  // A single regular expression would try each digit as the last one, and could exhaust the stack.
  const isLong = /^-?\d{16}/.test(token) && !/\D/.test(token.slice(1));
  if (isLong && String(Number(token)) !== token)
    return {
      problem: `the number ${shown} would lose digits`,
      hint: 'put it in quotes: IDs are text',
    };
  if (!/^-?\d/.test(token) || Number.isFinite(Number(token))) return undefined;
  return { problem: `the number ${shown} is too large`, hint: 'put it in quotes if it is text' };
}

const TOKEN =
  /(?<word>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)(?!\w))|(?<mark>[[\]{},:])/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids control characters inside a string
const FORBIDDEN = /[\\\u0000-\u001f]/;

interface Token {
  readonly text?: string | undefined;
  readonly word?: string | undefined;
  readonly mark?: string | undefined;
  readonly end: number;
}

/** Reads the token at an offset. A regular expression for strings could exhaust the stack. */
function readToken(json: string, at: number): Token | undefined {
  if (json[at] !== '"') {
    TOKEN.lastIndex = at;
    const groups = TOKEN.exec(json)?.groups;
    return groups && { word: groups['word'], mark: groups['mark'], end: TOKEN.lastIndex };
  }
  const end = closingQuote(json, at + 1);
  const text = json.slice(at + 1, end);
  return end === -1 || FORBIDDEN.test(text.replace(ESCAPE, ''))
    ? undefined
    : { text, end: end + 1 };
}

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
  for (let offset = 0; ; ) {
    const at = text.slice(offset).search(/[^ \t\r\n]|$/) + offset;
    const complete: boolean = open.length === 0 && expected === "',' or the end";
    if (at === text.length)
      return complete
        ? undefined
        : { offset: at, problem: `unexpected end of the text, expected ${expected}` };
    const token = readToken(text, at);
    const numberProblem = findNumberProblem(token?.word ?? '');
    if (numberProblem) return { offset: at, ...numberProblem };
    const next: Expected | undefined = token && nextExpected(expected, token, open);
    if (!token || !next)
      return {
        offset: at,
        ...describeUnexpected(text, at, complete ? 'the end' : expected, token === undefined),
      };
    if (open.length > MAX_NESTING)
      return { offset: at, problem: `nested more than ${MAX_NESTING} levels deep` };
    expected = next;
    offset = token.end;
  }
}

/** Returns the expectation after a token; `undefined` if the token itself is not allowed here. */
function nextExpected(expected: Expected, token: Token, open: string[]): Expected | undefined {
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
  WORD.lastIndex = at;
  const found = WORD.exec(text)?.[0] ?? '';
  if (unreadable && found === '"')
    return { problem: 'the string is not closed, or contains a line break or an invalid escape' };
  const hint = hintForUnexpected(found, text.slice(0, at), expected);
  return { problem: `expected ${expected}, found '${found}'`, ...(hint && { hint }) };
}

/** Matches a word, a mark of comments, or any other character. */
const WORD = /[\w$.+-]{1,20}|\/[/*]|./suy;

/** Returns the hint for text of JavaScript, Python, or a configuration file in JSON. */
function hintForUnexpected(found: string, before: string, expected: string): string | undefined {
  if (found === "'") return 'JSON requires double quotes';
  if (/^(?:\/[/*]|#)$/.test(found)) return NO_COMMENTS;
  if (/^[}\]]$/.test(found) && before.trimEnd().endsWith(',')) return NO_LAST_COMMA;
  if (/^(?:None|nil|NULL|undefined|[-+]?(?:NaN|nan|Infinity))$/.test(found))
    return 'JSON writes a missing value as null';
  if (/^(?:True|False|TRUE|FALSE)$/.test(found)) return 'JSON writes true and false in lower case';
  return /^a field name/.test(expected) && /^[A-Za-z_$]/.test(found)
    ? 'put the names of fields in double quotes'
    : undefined;
}

export const NO_COMMENTS = 'JSON has no comments: remove them';
export const NO_LAST_COMMA = 'remove the comma before it';
