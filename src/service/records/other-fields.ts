/** Serializes the fields of a record that have no column. Returns null without such fields. */
export function serializeOtherFields(fields: object): string | null {
  return Object.keys(fields).length > 0 ? JSON.stringify(fields) : null;
}
