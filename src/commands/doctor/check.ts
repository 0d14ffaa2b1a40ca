import type { Failure, SvcError } from '../../kernel/errors.ts';
import type { Hint } from '../../kernel/hint.ts';
import { given } from '../option-values.ts';
import type { CheckState } from '../terminal/marks.ts';

/** What a check came to. */
export interface Verdict {
  readonly state: CheckState;
  readonly detail: string;
  /** What to do about it. */
  readonly fix?: string | Hint;
  /** Of a check that failed: the exit code is this one's. */
  readonly failure?: Failure;
}

export interface Check {
  readonly name: string;
  /** Checks without which this one makes no sense. */
  readonly after?: readonly string[];
  /** May throw an SvcError instead of saying that it failed. */
  readonly run: (signal: AbortSignal) => Promise<Verdict>;
}

/** A line of `svc doctor -o json`. */
export interface Finding extends Omit<Verdict, 'failure' | 'fix'> {
  readonly name: string;
  readonly fix?: string;
}

export const ok = (detail: string): Verdict => ({ state: 'ok', detail });

export const skipped = (detail: string): Verdict => ({ state: 'skipped', detail });

export const warn = (detail: string, fix: string | Hint): Verdict => ({ state: 'warn', detail, fix });

export const fail = (failure: Failure, detail: string, fix?: string | Hint): Verdict => ({
  state: 'fail',
  detail,
  failure,
  ...given('fix', fix),
});

/** The verdict that an error stands for. A rate limit says nothing of what is wrong. */
export function verdictOf({ failure, message, status, richHint }: SvcError): Verdict {
  const detail = message + (status === undefined ? '' : ` (${status})`);
  if (failure === 'resource_exhausted') return { state: 'warn', detail, ...given('fix', richHint) };
  return fail(failure, detail, richHint);
}
