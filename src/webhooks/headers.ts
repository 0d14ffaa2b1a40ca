/** Headers by name, in any case; a repeated one has a list of values. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Every value of a header, as often as it was sent. */
export function headerValues(headers: Headers, name: string): readonly string[] {
  return Object.entries(headers).flatMap(([given, value]) =>
    given.toLowerCase() === name && value !== undefined ? value : [],
  );
}
