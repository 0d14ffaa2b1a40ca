import { MOST_NESTING, nestsDeeperThan } from './json-nesting.ts';
import { jsonValue } from './json-value.ts';

/** The parts of `JSON` that keep the text of a number. */
const { parse, rawJSON, isRawJSON } = JSON as unknown as {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
};

/**
 * The value of a JSON text, in which each number that JavaScript would write differently (`1.0`, `12345678901234567890`)
 * is an object that `JSON.stringify` writes as the number's own text. Undefined, as from `jsonValue`, for any other text.
 * The text must not nest deeper than code that recurses can follow: see `nestsDeeperThan`.
 */
export function exactJsonValue(text: string): unknown {
  const value = jsonValue(text);
  if (value === undefined || !/\d/.test(text)) return value;
  return parse(text, (_, inner, { source = '' }) =>
    typeof inner === 'number' && JSON.stringify(inner) !== source ? rawJSON(source) : inner,
  );
}

/** The text of a number that `exactJsonValue` kept; undefined for any other value. */
export function exactNumber(value: unknown): string | undefined {
  return isRawJSON(value) ? JSON.stringify(value) : undefined;
}

/** The value of a JSON text, as `exactJsonValue` reads it; any other text, or one that nests too deep, is itself the value. */
export function exactJsonOrText(text: string): unknown {
  const value = nestsDeeperThan(MOST_NESTING, text) ? undefined : exactJsonValue(text);
  return value === undefined ? text : value;
}
