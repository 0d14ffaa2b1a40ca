/** A problem in an input file, without the file's name. */
export interface Diagnostic {
  /** Null if the problem concerns the whole file. */
  readonly line: number | null;
  /** Column of the syntax error if `isLast`, otherwise of the record. */
  readonly column?: number;
  /** Set if the rest of the file cannot be read. */
  readonly isLast?: true;
  readonly field?: string;
  readonly message: string;
}

/** A problem in an input file, with the file's name. */
export interface FileDiagnostic extends Diagnostic {
  /** The file name to show in messages. */
  readonly file: string;
}

/** Formats a diagnostic as one line: `users.json:7: email: expected text, got a number`. */
export function formatDiagnostic({ file, line, column, field, message, isLast }: FileDiagnostic): string {
  const position = [file, line, isLast ? column : null].filter((part) => part !== null && part !== undefined).join(':');
  return field === undefined ? `${position}: ${message}` : `${position}: ${field}: ${message}`;
}
