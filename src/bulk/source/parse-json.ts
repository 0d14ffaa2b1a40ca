import { findJsonProblem } from '../../kernel/json-problem.ts';
import { InputError, type Position, positionWithin } from './source.ts';

/**
 * Parses JSON text that starts at `position` in the input.
 * @throws SvcError `bad_data`, with the line and column, if the text is not valid JSON, is nested too deeply, or contains
 * a number that is too large or a whole number that would lose precision
 */
export function parseJson(text: string, name: string, position: Position): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw problemAt(name, position, text, findSyntaxProblem(text) ?? { offset: 0, problem: 'not valid JSON' });
  }
  const problem = findJsonProblem(value, text);
  if (problem) throw problemAt(name, position, text, problem);
  return value;
}

function problemAt(name: string, position: Position, text: string, { offset, problem, hint }: SyntaxProblem) {
  return new InputError(name, positionWithin(text, offset, position), problem, hint);
}

interface SyntaxProblem {
  readonly offset: number;
  readonly problem: string;
  readonly hint?: string;
}

const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids control characters inside a string
  /(?<text>"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\u0000-\u001f]*)*")|(?<word>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)(?!\w))|(?<mark>[[\]{},:])/y;

type Expected = 'a value' | "a value or ']'" | 'a field name' | "a field name or '}'" | "':'" | "',' or the end";

/** Finds the first syntax problem. JSON.parse may give no position, and engines word problems differently. */
export function findSyntaxProblem(text: string): SyntaxProblem | undefined {
  const open: string[] = [];
  let expected: Expected = 'a value';
  for (let offset = 0; ; offset = TOKEN.lastIndex) {
    const at = text.slice(offset).search(/[^ \t\r\n]|$/) + offset;
    const complete: boolean = open.length === 0 && expected === "',' or the end";
    if (at === text.length)
      return complete ? undefined : { offset: at, problem: `unexpected end of the text, expected ${expected}` };
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.groups;
    const next: Expected | undefined = token && nextExpected(expected, token, open);
    if (!next) return { offset: at, ...describeUnexpected(text, at, complete ? 'the end' : expected, token === undefined) };
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

function describeUnexpected(text: string, at: number, expected: string, unreadable: boolean): Omit<SyntaxProblem, 'offset'> {
  const found = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (unreadable && found === '"') {
    return { problem: 'the string is not closed, or contains a line break or an invalid escape' };
  }
  return { problem: `expected ${expected}, found '${found}'`, ...(found === "'" && { hint: 'JSON requires double quotes' }) };
}
