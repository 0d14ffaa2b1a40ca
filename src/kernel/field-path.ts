/** Formats a path for messages: `users[0].email`. The empty path is an empty string. */
export function formatFieldPath(path: readonly PropertyKey[]): string {
  const name = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return name.replace(/^\./, '');
}

/** Returns the value at a path; `undefined` if the path does not exist. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => Object(inner)[key], value);
}
