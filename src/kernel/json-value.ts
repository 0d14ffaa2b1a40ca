/** The value of a JSON text; `undefined`, which no JSON is, for any other text. */
export function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value of a JSON text; any other text is itself the value. */
export function jsonOrText(text: string): unknown {
  const value = jsonValue(text);
  return value === undefined ? text : value;
}
