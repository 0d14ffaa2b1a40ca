/** Runs a limited number of tasks at a time. The others wait, in order. */
export interface Queue {
  run<Value>(task: () => Promise<Value>): Promise<Value>;
  /** Resolves when no task runs or waits. */
  whenIdle(): Promise<void>;
}

export function createQueue(limit: number): Queue {
  const waiting: (() => void)[] = [];
  const idle: (() => void)[] = [];
  let running = 0;
  const release = () => {
    running -= 1;
    waiting.shift()?.();
    if (running === 0) for (const resolve of idle.splice(0)) resolve();
  };
  return {
    run: async (task) => {
      if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
      running += 1;
      try {
        return await task();
      } finally {
        release();
      }
    },
    whenIdle: () =>
      running === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve)),
  };
}
