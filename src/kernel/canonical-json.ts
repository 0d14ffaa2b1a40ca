import { isObject } from './is-object.ts';

/** Formats a value as JSON with sorted property names, so that equal values have equal text. */
export function formatCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}
