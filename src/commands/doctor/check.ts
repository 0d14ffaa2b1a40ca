import type { Failure, SvcError } from '../../kernel/errors.ts';
import type { Hint } from '../../kernel/hint.ts';
import { optionalProperty } from '../option-values.ts';
import type { CheckState } from '../terminal/marks.ts';

/** The result of a check. */
export interface CheckResult {
  readonly state: CheckState;
  readonly detail: string;
  /** Instructions to fix the problem. */
  readonly fix?: string | Hint;
  /** Failure of a failed check, which determines the exit code. */
  readonly failure?: Failure;
  /** Name of the failed check that prevented this one. */
  readonly blockedBy?: string;
}

export interface Check {
  readonly name: string;
  /** Names of the checks that must pass first. */
  readonly after?: readonly string[];
  /** Runs the check. An SvcError counts as a failed check. */
  readonly run: (signal: AbortSignal) => Promise<CheckResult>;
}

/** A line of `svc doctor -o json`. */
export interface DoctorFinding extends Omit<CheckResult, 'failure' | 'fix' | 'blockedBy'> {
  readonly name: string;
  readonly fix?: string;
}

export const ok = (detail: string): CheckResult => ({ state: 'ok', detail });

/** A fact that is neither good nor bad, for people who look for the cause of a problem. */
export const info = (detail: string): CheckResult => ({ state: 'info', detail });

export const skipped = (detail: string): CheckResult => ({ state: 'skipped', detail });

/** A check that a failed one prevents. Its failure also skips the checks that depend on it. */
export const skippedBecause = (blockedBy: string, failure: Failure): CheckResult => ({
  ...skipped(`skipped because ${blockedBy} failed`),
  blockedBy,
  failure,
});

export const warn = (detail: string, fix: string | Hint): CheckResult => ({ state: 'warn', detail, fix });

export const fail = (failure: Failure, detail: string, fix?: string | Hint): CheckResult => ({
  state: 'fail',
  detail,
  failure,
  ...optionalProperty('fix', fix),
});

/** Converts an error to a result. A rate limit is only a warning. */
export function resultOfError({ failure, message, status, structuredHint }: SvcError): CheckResult {
  const detail = message + (status === undefined ? '' : ` (${status})`);
  if (failure === 'resource_exhausted') return { state: 'warn', detail, ...optionalProperty('fix', structuredHint) };
  return fail(failure, detail, structuredHint);
}
