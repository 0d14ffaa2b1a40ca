/** What is stored of the fields of a record that have no column. */
export function otherFields(fields: object): string | null {
  return Object.keys(fields).length > 0 ? JSON.stringify(fields) : null;
}
