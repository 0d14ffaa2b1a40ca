import { AttemptTimeoutError, withTimeLimit } from '../../client/time-limit.ts';
import { SvcError } from '../../kernel/errors.ts';
import { type Check, type CheckResult, fail, resultOfError, skippedBecause } from './check.ts';

/** Time limit per check, in milliseconds. */
const CHECK_TIMEOUT = 15_000;

export interface NamedResult extends CheckResult {
  readonly name: string;
}

/** Runs checks concurrently, each after its dependencies. Returns results in order. The signal aborts all checks. */
export async function runChecks(
  checks: readonly Check[],
  signal: AbortSignal,
  milliseconds = CHECK_TIMEOUT,
): Promise<readonly NamedResult[]> {
  const running = new Map<string, Promise<NamedResult>>();
  for (const check of checks) {
    const dependencies = (check.after ?? []).flatMap((name) => running.get(name) ?? []);
    running.set(check.name, runAfter(dependencies, check, signal, milliseconds));
  }
  return Promise.all(running.values());
}

async function runAfter(
  dependencies: readonly Promise<NamedResult>[],
  check: Check,
  signal: AbortSignal,
  milliseconds: number,
): Promise<NamedResult> {
  const { name } = check;
  const failed = (await Promise.all(dependencies)).find(({ failure }) => failure !== undefined);
  if (!failed?.failure) return { name, ...(await runCheck(check, signal, milliseconds)) };
  return { name, ...skippedBecause(failed.blockedBy ?? failed.name, failed.failure) };
}

async function runCheck({ run }: Check, signal: AbortSignal, milliseconds: number): Promise<CheckResult> {
  try {
    return await withTimeLimit(milliseconds, signal, run);
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof AttemptTimeoutError) return fail('unreachable', thrown.message, 'try again later');
    if (thrown instanceof SvcError) return resultOfError(thrown);
    throw thrown;
  }
}
