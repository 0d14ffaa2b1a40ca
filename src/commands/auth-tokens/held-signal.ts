/** A signal that aborts with another one, except while what goes on must be waited for. */
export interface HeldSignal {
  readonly signal: AbortSignal;
  /** Runs `body` to its end. Once the other signal aborts meanwhile, `told` is called instead. */
  hold<Value>(body: () => Promise<Value>, told: () => void): Promise<Value>;
}

export function heldSignal(other: AbortSignal): HeldSignal {
  const controller = new AbortController();
  let told: (() => void) | undefined;
  const forward = () => (told ? told() : controller.abort(other.reason));
  if (other.aborted) forward();
  else other.addEventListener('abort', forward, { once: true });
  return {
    signal: controller.signal,
    async hold(body, tell) {
      controller.signal.throwIfAborted();
      told = tell;
      try {
        return await body();
      } finally {
        told = undefined;
      }
    },
  };
}
