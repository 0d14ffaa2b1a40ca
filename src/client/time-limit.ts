/** Milliseconds; a timer for longer than this fires at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** An attempt took longer than it may. */
export class AttemptTimeout extends Error {
  constructor(milliseconds: number) {
    super(`no answer within ${milliseconds / 1000} s`);
    this.name = 'AttemptTimeout';
  }
}

/**
 * Runs `work` with a signal that aborts with the outer one or after `milliseconds`, and rejects with that reason even
 * when the work doesn't listen. The time is real time, not the clock's: it guards against a peer that hangs.
 */
export async function withTimeLimit<Result>(
  milliseconds: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  outer?.throwIfAborted();
  const controller = new AbortController();
  const { signal } = controller;
  const aborted = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const stop = () => controller.abort(outer?.reason);
  const expire = () => controller.abort(new AttemptTimeout(milliseconds));
  const timer = setTimeout(expire, Math.min(milliseconds, LONGEST_TIMER));
  outer?.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work(signal), aborted]);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', stop);
  }
}
