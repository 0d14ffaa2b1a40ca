import type { Clock } from '../../kernel/clock.ts';

/** A wait that can be ended early. A ring that comes while nobody waits ends the next wait at once. */
export interface Alarm {
  ring(): void;
  /** Rings `milliseconds` from now, unless something rings before. */
  ringIn(milliseconds: number): void;
  wait(milliseconds: number): Promise<void>;
}

export function createAlarm(clock: Clock): Alarm {
  let rung = false;
  let waiting: AbortController | undefined;
  let isSet = false;
  const ring = () => {
    rung = true;
    waiting?.abort(RUNG);
  };
  return {
    ring,
    ringIn: (milliseconds) => {
      if (isSet) return;
      isSet = true;
      void clock.sleep(milliseconds).then(() => {
        isSet = false;
        ring();
      });
    },
    wait: async (milliseconds) => {
      if (!rung) {
        waiting = new AbortController();
        await clock.sleep(milliseconds, waiting.signal).catch(ignoreRing);
        waiting = undefined;
      }
      rung = false;
    },
  };
}

const RUNG = new Error('rung');

function ignoreRing(error: unknown): void {
  if (error !== RUNG) throw error;
}
