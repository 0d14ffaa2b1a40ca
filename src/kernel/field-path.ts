/** A place in a value as people write it: `users[0].email`; empty for the value itself. */
export function fieldPath(path: readonly PropertyKey[]): string {
  const name = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return name.replace(/^\./, '');
}

/** What stands at a place in a value; `undefined` where the place is not there. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => Object(inner)[key], value);
}
