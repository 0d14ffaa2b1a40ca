/** An abort signal that follows another signal and can defer its abort. */
export interface DeferrableSignal {
  readonly signal: AbortSignal;
  /** Runs `body` to completion. If the other signal aborts meanwhile, calls `onAbort` instead of aborting. */
  defer<Value>(body: () => Promise<Value>, onAbort: () => void): Promise<Value>;
}

export function createDeferrableSignal(other: AbortSignal): DeferrableSignal {
  const controller = new AbortController();
  let onDeferredAbort: (() => void) | undefined;
  const forward = () => (onDeferredAbort ? onDeferredAbort() : controller.abort(other.reason));
  if (other.aborted) forward();
  else other.addEventListener('abort', forward, { once: true });
  return {
    signal: controller.signal,
    async defer(body, onAbort) {
      controller.signal.throwIfAborted();
      onDeferredAbort = onAbort;
      try {
        return await body();
      } finally {
        onDeferredAbort = undefined;
      }
    },
  };
}
