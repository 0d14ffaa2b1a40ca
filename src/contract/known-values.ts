/** Values that the API names, by field. Only these are recorded; others are `(other)`. */
const KNOWN_VALUES: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    accessType: ['public', 'restricted', 'organizationPrivate'],
    code: ['already-exists', 'not-found', 'internal'],
    managedBy: ['customer', 'platform'],
    type: ['testing', 'production', 'default', 'custom', 'extprovider'],
  }).map(([field, values]) => [field, new Set(values)]),
);
const MIGRATION_STATES = new Set(['pending', 'in_progress', 'completed', 'failed']);
const OTHER_VALUE = '(other)';

/**
 * Returns the value to record for a declared field; undefined if the field has no named values.
 * `path` ends with the field's name.
 */
export function knownValueOf(path: string, value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const field = path.slice(path.lastIndexOf('.') + 1);
  if (path === 'data.status') return migrationStateOf(value);
  // Codes of issues are those of a validation library, not of the API.
  const known = path.startsWith('details.issues') ? undefined : KNOWN_VALUES.get(field);
  return known && (known.has(value) ? value : OTHER_VALUE);
}

export function migrationStateOf(value: string): string {
  return MIGRATION_STATES.has(value) ? value : OTHER_VALUE;
}
