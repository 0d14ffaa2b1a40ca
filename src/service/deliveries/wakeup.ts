import type { Clock } from '../../kernel/clock.ts';

/** A wait that can be ended early. A wake-up outside of a wait ends the next wait. */
export interface Wakeup {
  readonly wake: () => void;
  readonly wait: (milliseconds: number) => Promise<void>;
}

export function createWakeup(clock: Clock): Wakeup {
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
