/** A place in a value as people write it: `users[0].email`; empty for the value itself. */
export function fieldPath(path: readonly PropertyKey[]): string {
  const name = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return name.replace(/^\./, '');
}
