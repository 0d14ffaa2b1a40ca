import type { Clock } from '../../kernel/clock.ts';

/** A wait that can be cut short. A wake-up without a current wait ends the next one at once. */
export type Wakeup = ReturnType<typeof createWakeup>;

export function createWakeup(clock: Clock) {
  let isPending = false;
  let currentWait: AbortController | undefined;
  let isScheduled = false;
  const wake = () => {
    isPending = true;
    currentWait?.abort(WOKEN);
  };
  return {
    wake,
    /** Schedules a wake-up in `milliseconds`. Does nothing while one is scheduled. */
    wakeAfter: (milliseconds: number) => {
      if (isScheduled) return;
      isScheduled = true;
      void clock.sleep(milliseconds).then(() => {
        isScheduled = false;
        wake();
      });
    },
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
