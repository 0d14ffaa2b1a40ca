/** The value of a JSON text; `undefined`, which no JSON is, for any other text. */
export function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
