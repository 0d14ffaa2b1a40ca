/** Parses JSON; returns `undefined`, which is not a JSON value, for any other text. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
