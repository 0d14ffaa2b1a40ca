export type DeferrableSignal = ReturnType<typeof createDeferrableSignal>;

export function createDeferrableSignal(other: AbortSignal) {
  const controller = new AbortController();
  let onDeferredAbort: (() => void) | undefined;
  const forward = () => (onDeferredAbort ? onDeferredAbort() : controller.abort(other.reason));
  if (other.aborted) forward();
  else other.addEventListener('abort', forward, { once: true });
  return {
    signal: controller.signal,
    /** Runs `body` to completion. If the other signal aborts meanwhile, calls `onAbort` instead of aborting. */
    async defer<Value>(body: () => Promise<Value>, onAbort: () => void): Promise<Value> {
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
