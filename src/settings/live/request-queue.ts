export type RunQueued = <Result>(task: () => Promise<Result>) => Promise<Result>;

/** @param isFatal whether no further task starts after an error */
export function createRequestQueue(
  concurrency: number,
  isFatal: (error: unknown) => boolean,
): RunQueued {
  const waiting: (() => void)[] = [];
  let running = 0;
  let failure: { readonly error: unknown } | undefined;
  return async (task) => {
    if (running >= concurrency) await new Promise<void>((resolve) => waiting.push(resolve));
    if (failure) throw failure.error;
    running += 1;
    try {
      return await task();
    } catch (error) {
      if (isFatal(error)) failure ??= { error };
      throw error;
    } finally {
      running -= 1;
      for (const start of failure ? waiting.splice(0) : waiting.splice(0, 1)) start();
    }
  };
}
