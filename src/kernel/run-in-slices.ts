/** Maximum time in milliseconds that a computation may block signals and timers. */
const SLICE_MILLISECONDS = 20;

/**
 * Runs a computation step by step to its result, and yields to the event loop after each time
 * slice.
 */
export async function runInSlices<Result>(
  steps: Iterator<unknown, Result>,
  signal: AbortSignal | undefined,
) {
  for (let sliceEnd = performance.now() + SLICE_MILLISECONDS; ; ) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() < sliceEnd) continue;
    await yieldToEvents(signal);
    sliceEnd = performance.now() + SLICE_MILLISECONDS;
  }
}

/**
 * Yields to signals, timers, and the network. Rejects with the signal's reason if the signal is
 * aborted.
 */
export async function yieldToEvents(signal?: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal?.throwIfAborted();
}
