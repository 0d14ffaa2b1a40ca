/** One attempt, or why none was made. */
export interface Attempt {
  /** RFC 3339, in UTC. */
  readonly at: string;
  /** The HTTP status that was answered. */
  readonly status: number | null;
  readonly error: string | null;
}

/** An attempt as a line, so that one more is written behind the others without reading them. */
export function attemptLine(at: number, status: number | null, error: string | null): string {
  const attempt: Attempt = { at: new Date(at).toISOString(), status, error };
  return `${JSON.stringify(attempt)}\n`;
}

export function attemptsOf(lines: string): Attempt[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
