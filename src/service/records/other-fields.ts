/** Serializes the fields of a record that have no column of their own. Returns null if no such field exists. */
export function serializeOtherFields(fields: object): string | null {
  return Object.keys(fields).length > 0 ? JSON.stringify(fields) : null;
}
