import type { DeliveryAttempt } from '../../catalog/local/delivery.ts';
import type { AttemptResult } from './http-sender.ts';

/**
 * Formats an attempt as a line of JSON. Appending a line does not require reading the earlier
 * attempts.
 */
export function formatAttempt(
  at: number,
  { status, error, reason, milliseconds, body }: AttemptResult,
): string {
  const time = new Date(at).toISOString();
  const attempt = {
    at: time,
    status,
    error,
    // Most attempts have no reason and no body, and `parseAttempts` adds them.
    ...(reason !== null && { reason }),
    ...(milliseconds !== null && { milliseconds }),
    ...(body !== null && { body }),
  };
  return `${JSON.stringify(attempt)}\n`;
}

/** Parses the attempts of a delivery. Attempts of an older svc have fewer fields. */
export function parseAttempts(lines: string): DeliveryAttempt[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ ...NOT_RECORDED, ...JSON.parse(line) }));
}

const NOT_RECORDED = {
  at: '',
  status: null,
  error: null,
  reason: null,
  milliseconds: null,
  body: null,
};
