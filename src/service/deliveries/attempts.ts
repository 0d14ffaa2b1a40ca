/** An attempt, or the reason why the delivery was not attempted. */
export interface DeliveryAttempt {
  /** RFC 3339, UTC. */
  readonly at: string;
  /** HTTP status, or null without a response. */
  readonly status: number | null;
  readonly error: string | null;
}

/**
 * Formats an attempt as a line of JSON. Appending a line does not require reading the earlier
 * attempts.
 */
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
