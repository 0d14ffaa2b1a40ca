import { parseDocument } from 'yaml';

/** Texts beyond this length are not checked, because the check takes quadratic time. */
const MAX_LENGTH = 100_000;

/**
 * Checks that no object in a JSON text has a field twice. JSON is YAML, whose parser rejects
 * repeated keys.
 */
export function requireUniqueNames(json: string): void {
  if (json.length > MAX_LENGTH) return;
  const [error] = parseDocument(json, { uniqueKeys: true }).errors;
  if (error) throw new Error(`a request with a repeated field: ${error.message}\n${json}`);
}
