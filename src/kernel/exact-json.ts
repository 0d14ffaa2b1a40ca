import { tryParseJson } from './json.ts';
import { MAX_NESTING, nestsDeeperThan } from './json-nesting.ts';

/** Node.js has these functions, which TypeScript does not declare yet. */
const { parse, rawJSON, isRawJSON } = JSON as Omit<JSON, 'parse'> & {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
};

/**
 * Parses JSON and preserves numbers that JavaScript would write differently (`1.0`,
 * `12345678901234567890`): each becomes an object that `JSON.stringify` writes as the original
 * text. Returns undefined if the text is not JSON. Check the nesting first with `nestsDeeperThan`,
 * because this function recurses.
 */
export function parseExactJson(text: string): unknown {
  const value = tryParseJson(text);
  if (value === undefined || !/\d/.test(text)) return value;
  return parse(text, (_, inner, { source = '' }) =>
    typeof inner === 'number' && JSON.stringify(inner) !== source ? rawJSON(source) : inner,
  );
}

/**
 * Returns the original text of a number that `parseExactJson` preserved; undefined for any other
 * value.
 */
export function exactNumberText(value: unknown): string | undefined {
  return isRawJSON(value) ? JSON.stringify(value) : undefined;
}

/**
 * Parses JSON as `parseExactJson` does. Returns the text itself if it is not JSON or is nested too
 * deeply.
 */
export function parseExactJsonOrText(text: string): unknown {
  const value = nestsDeeperThan(MAX_NESTING, text) ? undefined : parseExactJson(text);
  return value === undefined ? text : value;
}
