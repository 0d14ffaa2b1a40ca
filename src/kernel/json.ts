/** The members of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses JSON; returns `undefined`, which is not a JSON value, for any other text. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Copies an array or object with its items or properties converted. Returns any other value
 * unchanged.
 */
export function mapInner(
  value: unknown,
  convert: (inner: unknown, key: string) => unknown,
): unknown {
  if (Array.isArray(value)) return value.map((item, index) => convert(item, String(index)));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, convert(inner, key)]),
  );
}

/** Formats a value as JSON with sorted property names, so that equal values have equal text. */
export function formatCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
