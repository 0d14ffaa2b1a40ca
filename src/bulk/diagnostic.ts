export interface Diagnostic {
  readonly line: number | null;
  /** Column of the error if `isExact`, otherwise of the record. */
  readonly column?: number;
  /** Set if line and column locate the error itself instead of its record. */
  readonly isExact?: true;
  /** Number of the record in the file, from 1. Set if other records are on the same line. */
  readonly record?: number;
  readonly field?: string;
  /** The cell of a sheet, such as `Sheet1!B7`. */
  readonly cell?: string;
  readonly message: string;
}

export interface FileDiagnostic extends Diagnostic {
  readonly file: string;
}

/**
 * Formats a diagnostic: `a.json:7: email: expected text`, or `a.json:1:24: record 2: …` for one of
 * several on a line.
 */
export function formatDiagnostic(diagnostic: FileDiagnostic): string {
  const { file, line, column, record, isExact, cell } = diagnostic;
  if (cell !== undefined) return `${file}:${cell}: ${describeDiagnostic(diagnostic)}`;
  const parts = [file, line, isExact || record !== undefined ? column : null];
  const position = parts.filter((part) => part !== null && part !== undefined).join(':');
  return `${position}: ${describeDiagnostic(diagnostic)}`;
}

export function describeDiagnostic({ record, field, message }: Diagnostic): string {
  return [record === undefined ? undefined : `record ${record}`, field, message]
    .filter((part) => part !== undefined)
    .join(': ');
}

/** Compares findings by their position in the input. */
export function compareFindings(
  files: readonly { readonly name: string }[],
): (a: FileDiagnostic, b: FileDiagnostic) => number {
  const order = new Map(files.map(({ name }, at) => [name, at]));
  const fileOf = ({ file }: FileDiagnostic) => order.get(file) ?? 0;
  return (a, b) =>
    fileOf(a) - fileOf(b) || (a.line ?? 0) - (b.line ?? 0) || (a.record ?? 0) - (b.record ?? 0);
}

const MAX_SORTED = 10_000;

/** Sorts findings by position. Findings after the first 10,000 keep the order in which they come. */
export async function* inFileOrder(
  findings: AsyncIterable<readonly FileDiagnostic[]>,
  files: readonly { readonly name: string }[],
): AsyncGenerator<readonly FileDiagnostic[]> {
  let held: FileDiagnostic[] | undefined = [];
  for await (const found of findings) {
    held?.push(...found);
    if (!held) yield found;
    else if (held.length > MAX_SORTED) {
      yield held.toSorted(compareFindings(files));
      held = undefined;
    }
  }
  if (held && held.length > 0) yield held.toSorted(compareFindings(files));
}
