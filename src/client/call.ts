import { type Clock, steadyNow } from '../kernel/clock.ts';
import { SvcError } from '../kernel/errors.ts';
import type { Attempt } from './attempt.ts';
import type { CallEvent } from './call-event.ts';
import { createGate, type SharedGate } from './gate.ts';
import type { Failed, Success } from './outcome.ts';
import type { CalledOperation, WireRequest } from './request.ts';
import { createRetryBudget, mayRepeat, mayWait, retryDelay } from './retry.ts';
import { doneAlready, finalError } from './settle.ts';

/** What a call took beside its first attempt. */
export interface Effort {
  /** Attempts after the first. */
  readonly retries: number;
  /** How often the service put it off because of a rate limit. */
  readonly waits: number;
  /** Milliseconds that it was held back for rate limits, those of other calls included. */
  readonly waited: number;
  /** An attempt before the last one may have been applied. */
  readonly unsettled: boolean;
}

interface CallOptions {
  readonly clock: Clock;
  readonly maxWait: number;
  readonly sharedGate?: SharedGate;
  readonly observe?: (event: CallEvent) => void;
  readonly signal?: AbortSignal;
  readonly random?: () => number;
}

interface CallResult extends Effort {
  readonly success: Success;
}

/** Sends a request as often as its effect and what came back allow, and throws what cannot be mended. */
export type Call = (operation: CalledOperation, request: WireRequest) => Promise<CallResult>;

export function createCall(options: CallOptions, attempt: Attempt): Call {
  const { clock, maxWait, observe, signal, sharedGate, random = Math.random } = options;
  const gate = createGate({ clock, random, maxWait, signal, observe, shared: sharedGate });
  const budget = createRetryBudget();

  async function backOff(failed: Failed, failures: number, sent: number): Promise<void> {
    const inMilliseconds = retryDelay(failures, random);
    observe?.({ kind: 'retry', attempt: sent, inMilliseconds, reason: failed.error.message });
    await clock.sleep(inMilliseconds, signal);
  }

  /** Whoever is stopped while a write is on its way has to hear that as well. */
  function cutShort(reason: unknown): unknown {
    if (!(signal?.aborted && reason === signal.reason && reason instanceof SvcError)) return reason;
    return new SvcError(reason.failure, `${reason.message}: the request was on its way, and may have been applied`, {
      cause: reason,
    });
  }

  /** One attempt, as soon as the gate lets it through. */
  async function pass(operation: CalledOperation, request: WireRequest, sent: number) {
    const arrived = steadyNow(clock);
    if (!operation.bulk) signal?.throwIfAborted();
    const leave = await gate.pass();
    const waited = steadyNow(clock) - arrived;
    let answered = false;
    try {
      const outcome = await attempt(operation, request, sent);
      answered = outcome.kind === 'success' || outcome.repeat === 'never';
      // Closed before this one leaves, so that none of those behind it slips out.
      const paused = outcome.kind === 'failed' && mayWait(operation.effect, outcome) && gate.close(outcome);
      return { outcome, waited, paused };
    } catch (error) {
      throw operation.effect === 'read' ? error : cutShort(error);
    } finally {
      leave(answered);
    }
  }

  return async (operation, request) => {
    const { effect } = operation;
    let failures = 0;
    let waits = 0;
    let waited = 0;
    let unsettled = false;
    let unknown: SvcError | undefined;
    // Whoever stops waiting after an attempt that may have been applied has to hear that, not only that it stopped.
    const orUnknown = (reason: unknown): never => {
      throw unknown ?? reason;
    };
    for (let sent = 1; ; sent += 1) {
      const { outcome, paused, ...passage } = await pass(operation, request, sent).catch(orUnknown);
      waited += passage.waited;
      if (outcome.kind === 'success') {
        budget.earn();
        return { success: outcome, retries: sent - 1, waits, waited, unsettled };
      }
      const done = doneAlready(effect, outcome, unsettled);
      if (done) return { success: done, retries: sent - 1, waits, waited, unsettled };
      unsettled ||= outcome.applied === 'maybe' && effect !== 'read';
      const givenUp = finalError(effect, outcome, unsettled);
      givenUp.retries = sent - 1;
      if (unsettled) unknown = givenUp;
      if (paused) {
        waits += 1;
        continue;
      }
      failures += 1;
      const taken = operation.takesInternal && outcome.error.status === 'INTERNAL';
      const again = !signal?.aborted && !taken && mayRepeat(effect, outcome, failures) && budget.take();
      if (!again) throw givenUp;
      await backOff(outcome, failures, sent).catch(orUnknown);
    }
  };
}
