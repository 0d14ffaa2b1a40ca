/** One thing that is wrong with an input. */
export interface Finding {
  /** Null where it is about the input as a whole. */
  readonly line: number | null;
  /** Of what is wrong where the input cannot be read on; of its record otherwise. */
  readonly column?: number;
  /** The input cannot be read on. */
  readonly isLast?: true;
  readonly field?: string;
  readonly message: string;
}

/** A finding in a line of text: `users.json:7: email: expected text, got a number`. */
export function findingText(name: string, { line, column, field, message, isLast }: Finding): string {
  const place = [name, line, isLast ? column : null].filter((part) => part !== null && part !== undefined).join(':');
  return field === undefined ? `${place}: ${message}` : `${place}: ${field}: ${message}`;
}
