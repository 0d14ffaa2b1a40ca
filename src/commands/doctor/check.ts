import type { Failure, Hint, SvcError } from '../../kernel/errors.ts';
import { optionalProperty } from '../options.ts';
import type { CheckState } from '../terminal/marks.ts';

export interface CheckResult {
  readonly state: CheckState;
  readonly detail: string;
  readonly fix?: string | Hint;
  /** Kind of the failure. Determines the exit code. */
  readonly failure?: Failure;
  readonly blockedBy?: string;
}

export interface Check {
  readonly name: string;
  readonly after?: readonly string[];
  readonly run: (signal: AbortSignal) => Promise<CheckResult>;
}

export interface DoctorFinding extends Omit<CheckResult, 'failure' | 'fix' | 'blockedBy'> {
  readonly name: string;
  readonly fix?: string;
}

export const ok = (detail: string): CheckResult => ({ state: 'ok', detail });
export const info = (detail: string): CheckResult => ({ state: 'info', detail });
export const skipped = (detail: string): CheckResult => ({ state: 'skipped', detail });

export const skippedBecause = (blockedBy: string, failure: Failure): CheckResult => ({
  ...skipped(`skipped because ${blockedBy} failed`),
  blockedBy,
  failure,
});

export const warn = (detail: string, fix: string | Hint): CheckResult => ({
  state: 'warn',
  detail,
  fix,
});

export const fail = (failure: Failure, detail: string, fix?: string | Hint): CheckResult => ({
  state: 'fail',
  detail,
  failure,
  ...optionalProperty('fix', fix),
});

/** Converts an error to a failed check, or a rate limit to a warning. */
export function resultOfError({ failure, message, status, structuredHint }: SvcError): CheckResult {
  const detail = message + (status === undefined ? '' : ` (${status})`);
  if (failure === 'resource_exhausted')
    return { state: 'warn', detail, ...optionalProperty('fix', structuredHint) };
  return fail(failure, detail, structuredHint);
}
