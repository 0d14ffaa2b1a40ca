/** One thing that is wrong with a file, as whoever reads it says so. */
export interface Remark {
  /** Null where it is about the file as a whole. */
  readonly line: number | null;
  /** Of what is wrong where the file cannot be read on; of its record otherwise. */
  readonly column?: number;
  /** The file cannot be read on. */
  readonly isLast?: true;
  readonly field?: string;
  readonly message: string;
}

/** One thing that is wrong with an input. */
export interface Finding extends Remark {
  /** As messages call the file. */
  readonly file: string;
}

/** A finding in a line of text: `users.json:7: email: expected text, got a number`. */
export function findingText({ file, line, column, field, message, isLast }: Finding): string {
  const place = [file, line, isLast ? column : null].filter((part) => part !== null && part !== undefined).join(':');
  return field === undefined ? `${place}: ${message}` : `${place}: ${field}: ${message}`;
}
