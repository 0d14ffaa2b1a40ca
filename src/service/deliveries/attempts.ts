/** One attempt, or the reason why none was made. */
export interface DeliveryAttempt {
  /** RFC 3339, in UTC. */
  readonly at: string;
  /** HTTP status of the response; null without a response. */
  readonly status: number | null;
  readonly error: string | null;
}

/** Formats an attempt as a line of JSON, which can be appended without reading the earlier ones. */
export function formatAttempt(at: number, status: number | null, error: string | null): string {
  const attempt: DeliveryAttempt = { at: new Date(at).toISOString(), status, error };
  return `${JSON.stringify(attempt)}\n`;
}

export function parseAttempts(lines: string): DeliveryAttempt[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
