import type { Clock } from '../../kernel/clock.ts';

/** A wait that can be ended early. A wake-up outside of a wait ends the next wait. */
export type Wakeup = ReturnType<typeof createWakeup>;

export function createWakeup(clock: Clock) {
  let isPending = false;
  let currentWait: AbortController | undefined;
  const wake = () => {
    isPending = true;
    currentWait?.abort(WOKEN);
  };
  return {
    wake,
    wait: async (milliseconds: number) => {
      if (!isPending) {
        currentWait = new AbortController();
        await clock.sleep(milliseconds, currentWait.signal).catch(ignoreWake);
        currentWait = undefined;
      }
      isPending = false;
    },
  };
}

const WOKEN = new Error('woken');

function ignoreWake(error: unknown): void {
  if (error !== WOKEN) throw error;
}
