import { formatNounCount } from '../../kernel/plural.ts';

/**
 * A change of the clock, as in the body of `POST /_svc/clock`. `advance` is a duration, `set` a
 * time.
 */
export type ClockChange = (
  | { readonly advance: string }
  | { readonly set: string }
  | { readonly freeze: true }
  | { readonly run: true }
  | { readonly reset: true }
) & { readonly force?: boolean | undefined };

export interface ClockState {
  /** Time of the service, in RFC 3339. */
  readonly now: string;
  /** Milliseconds ahead of real time. */
  readonly offset: number;
  readonly frozen: boolean;
}

export interface AdvanceReport {
  readonly attempts: number;
  readonly endpointsDisabled: number;
  readonly tokensExpired: number;
  readonly permissionsExpired: number;
}

/** Formats a report as text, such as `7 attempts, 1 endpoint disabled`. */
export function describeReport(report: Partial<AdvanceReport>): string {
  const { attempts = 0, endpointsDisabled = 0, tokensExpired = 0, permissionsExpired = 0 } = report;
  const parts = [
    attempts > 0 && formatNounCount(attempts, 'attempt'),
    endpointsDisabled > 0 && `${formatNounCount(endpointsDisabled, 'endpoint')} disabled`,
    tokensExpired > 0 && `${formatNounCount(tokensExpired, 'token')} expired`,
    permissionsExpired > 0 && `${formatNounCount(permissionsExpired, 'permission')} expired`,
  ].filter((part) => part !== false);
  return parts.join(', ') || 'nothing was due';
}
