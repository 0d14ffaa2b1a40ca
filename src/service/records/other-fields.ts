export function serializeOtherFields(fields: object): string | null {
  return Object.keys(fields).length > 0 ? JSON.stringify(fields) : null;
}
