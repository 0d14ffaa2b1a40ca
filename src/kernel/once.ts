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

/** Returns an object whose members are created on first use. A spread creates all of them. */
export function createWhenUsed<Members extends Readonly<Record<string, unknown>>>(
  creators: {
    readonly [Name in keyof Members]: () => Members[Name];
  },
): Members {
  const members = Object.entries(creators).map(([name, create]) => [
    name,
    { enumerable: true, get: once(create) },
  ]);
  return Object.defineProperties({}, Object.fromEntries(members)) as Members;
}
