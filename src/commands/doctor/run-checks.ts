import { AttemptTimeout, withTimeLimit } from '../../client/time-limit.ts';
import { SvcError } from '../../kernel/errors.ts';
import { type Check, fail, skipped, type Verdict, verdictOf } from './check.ts';

/** Milliseconds that one check may take. */
const LIMIT = 15_000;

export interface CheckedVerdict extends Verdict {
  readonly name: string;
  /** The check because of which this one, and what comes after it, was not tried. */
  readonly because?: string;
}

/**
 * Runs checks side by side, each as soon as those that it comes after are through, and gives their verdicts in order. A
 * check that hangs fails; only the signal ends them all.
 */
export async function runChecks(
  checks: readonly Check[],
  signal: AbortSignal,
  milliseconds = LIMIT,
): Promise<readonly CheckedVerdict[]> {
  const running = new Map<string, Promise<CheckedVerdict>>();
  for (const check of checks) {
    const earlier = (check.after ?? []).flatMap((name) => running.get(name) ?? []);
    running.set(check.name, runAfter(earlier, check, signal, milliseconds));
  }
  return Promise.all(running.values());
}

async function runAfter(
  earlier: readonly Promise<CheckedVerdict>[],
  check: Check,
  signal: AbortSignal,
  milliseconds: number,
): Promise<CheckedVerdict> {
  const { name } = check;
  const broken = (await Promise.all(earlier)).find(({ failure }) => failure !== undefined);
  if (!broken?.failure) return { name, ...(await outcomeOf(check, signal, milliseconds)) };
  const because = broken.because ?? broken.name;
  return { name, ...skipped(`not tried, because of ${because}`), because, failure: broken.failure };
}

async function outcomeOf({ run }: Check, signal: AbortSignal, milliseconds: number): Promise<Verdict> {
  try {
    return await withTimeLimit(milliseconds, signal, run);
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof AttemptTimeout) return fail('unreachable', thrown.message, 'try again later');
    if (thrown instanceof SvcError) return verdictOf(thrown);
    throw thrown;
  }
}
