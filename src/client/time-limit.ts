import { MAX_TIMER } from '../kernel/clock.ts';

export class AttemptTimeoutError extends Error {
  constructor(milliseconds: number) {
    super(`no response within ${milliseconds / 1000} s`);
    this.name = 'AttemptTimeout';
  }
}

/**
 * Rejects at the time limit even if the task ignores its signal. Uses real time, because a server
 * may hang.
 */
export async function withTimeLimit<Result>(
  milliseconds: number,
  outer: AbortSignal | undefined,
  task: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  outer?.throwIfAborted();
  const controller = new AbortController();
  const { signal } = controller;
  const aborted = new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason)),
  );
  const stop = () => controller.abort(outer?.reason);
  const expire = () => controller.abort(new AttemptTimeoutError(milliseconds));
  const timer = setTimeout(expire, Math.min(milliseconds, MAX_TIMER));
  outer?.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([task(signal), aborted]);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', stop);
  }
}
