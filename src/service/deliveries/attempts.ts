import type { DeliveryAttempt } from '../../catalog/local/delivery.ts';

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
