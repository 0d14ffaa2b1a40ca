/** Milliseconds that a long computation may keep signals and timers waiting. */
const SLICE = 20;

/** Runs a computation step by step to its result, and lets other events have their turn whenever it has taken a while. */
export async function inSlices<Result>(
  steps: Iterator<unknown, Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  for (let sliceEnd = performance.now() + SLICE; ; ) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() < sliceEnd) continue;
    await otherEvents(signal);
    sliceEnd = performance.now() + SLICE;
  }
}

/** Lets signals, timers and the network have their turn. Rejects with the signal's reason once that is aborted. */
export async function otherEvents(signal: AbortSignal | undefined): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal?.throwIfAborted();
}
