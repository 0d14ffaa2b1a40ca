export const BATCH_SIZE = 100;
/** Upper bound on the JSON text of a request, in characters. Typical batches are far smaller. */
export const BATCH_CHARACTERS = 4 * 1024 * 1024;
export const MAX_CONCURRENCY = 16;
/**
 * Bounds on the delay before a retry, in milliseconds. The delay doubles with each retry, up to the
 * maximum.
 */
const MIN_RETRY_PAUSE = 500;
const MAX_RETRY_PAUSE = 5_000;

export function chooseRetryPause(repetition: number): number {
  return Math.random() * Math.min(MAX_RETRY_PAUSE, MIN_RETRY_PAUSE * 2 ** (repetition - 1));
}
