import type { Clock } from '../../kernel/clock.ts';

/** A wait that can be cut short. A wake-up without a current wait ends the next one at once. */
export interface Wakeup {
  wake(): void;
  /** Schedules a wake-up in `milliseconds`. Does nothing while one is scheduled. */
  wakeAfter(milliseconds: number): void;
  wait(milliseconds: number): Promise<void>;
}

export function createWakeup(clock: Clock): Wakeup {
  let isPending = false;
  let currentWait: AbortController | undefined;
  let isScheduled = false;
  const wake = () => {
    isPending = true;
    currentWait?.abort(WOKEN);
  };
  return {
    wake,
    wakeAfter: (milliseconds) => {
      if (isScheduled) return;
      isScheduled = true;
      void clock.sleep(milliseconds).then(() => {
        isScheduled = false;
        wake();
      });
    },
    wait: async (milliseconds) => {
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
