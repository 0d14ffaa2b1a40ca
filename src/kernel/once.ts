/** Creates a value on first use and caches it, even if it is a rejected promise. */
export function once<Arguments extends readonly unknown[], Value>(
  create: (...values: Arguments) => Value,
) {
  let cached: { readonly value: Value } | undefined;
  return (...values: Arguments): Value => {
    cached ??= { value: create(...values) };
    return cached.value;
  };
}
