import { MAX_TIMER } from '../kernel/clock.ts';

export class AttemptTimeoutError extends Error {
  constructor(milliseconds: number) {
    super(`no response within ${milliseconds / 1000} s`);
    this.name = 'AttemptTimeout';
  }
}

/**
 * Calls `stop` once with the reason: at the time limit, or when the outer signal aborts. Uses real
 * time, because a server may hang.
 * @returns a function that ends the limit
 */
export function limitTime(
  milliseconds: number,
  outer: AbortSignal | undefined,
  stop: (reason: unknown) => void,
): () => void {
  const abort = () => stop(outer?.reason);
  const expire = () => stop(new AttemptTimeoutError(milliseconds));
  const timer = setTimeout(expire, Math.min(milliseconds, MAX_TIMER));
  outer?.addEventListener('abort', abort, { once: true });
  return () => {
    clearTimeout(timer);
    outer?.removeEventListener('abort', abort);
  };
}

/** Rejects at the time limit even if the task ignores its signal. */
export async function withTimeLimit<Result>(
  milliseconds: number,
  outer: AbortSignal | undefined,
  task: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  outer?.throwIfAborted();
  const controller = new AbortController();
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const end = limitTime(milliseconds, outer, (reason) => {
    controller.abort(reason);
    reject(reason);
  });
  try {
    return await Promise.race([task(controller.signal), stopped]);
  } finally {
    end();
  }
}
