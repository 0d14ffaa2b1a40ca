import { monotonicTime } from './process.ts';

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
  const pause = createPause(signal);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    const pausing = pause();
    if (pausing) await pausing;
  }
}

/** Call between the steps of a computation: pauses it for events once a time slice is over. */
export type Pause = () => Promise<void> | undefined;

export function createPause(signal?: AbortSignal): Pause {
  let sliceEnd = monotonicTime() + SLICE_MILLISECONDS;
  return () => {
    if (monotonicTime() < sliceEnd) return undefined;
    return yieldToEvents(signal).then(() => {
      sliceEnd = monotonicTime() + SLICE_MILLISECONDS;
    });
  };
}

/**
 * Yields to signals, timers, and the network. Rejects with the signal's reason if the signal is
 * aborted.
 */
export async function yieldToEvents(signal?: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal?.throwIfAborted();
}
