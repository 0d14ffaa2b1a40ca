/** Runs tasks with limited concurrency. After a failure, no further task starts. */
export type RunQueued = <Result>(task: () => Promise<Result>) => Promise<Result>;

export function createRequestQueue(concurrency: number): RunQueued {
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
      failure ??= { error };
      throw error;
    } finally {
      running -= 1;
      for (const start of failure ? waiting.splice(0) : waiting.splice(0, 1)) start();
    }
  };
}
