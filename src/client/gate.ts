import { type Clock, steadyNow } from '../kernel/clock.ts';
import type { CallEvent } from './call-event.ts';
import type { Failed } from './outcome.ts';
import { SlowStart } from './slow-start.ts';

/** The rate limit of the service itself. */
const OWN_PAUSE = 60_000;
const SHORTEST_PAUSE = 1_000;
const LONGEST_PAUSE = 60 * 60_000;
const MOST_JITTER = 15_000;

/** What other runs on this machine know of the same service's rate limit. */
export interface SharedGate {
  /** Until when it is closed, in milliseconds since the epoch, as far as anyone knows. Asked before each request. */
  closedUntil(): number | undefined;
  /** Tells the others. It never fails: whom it does not reach finds out by itself. */
  close(untilEpoch: number): void;
}

/** Ends a request's passage. `answered` says that the service took it. */
type Leave = (answered: boolean) => void;

/** The gate that every attempt of every call passes. A rate limit closes it for all of them. */
interface Gate {
  /** Resolves when a request may leave; rejects with the signal's reason. */
  pass(): Promise<Leave>;
  /**
   * Closes the gate for as long as the service asks, or as its own rate limit lasts; otherwise for a second, and twice as
   * long each time until a request is answered. False when that is more waiting than is left.
   */
  close(refused: Pick<Failed, 'retryAfter' | 'forMinute'>): boolean;
}

interface GateOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** Milliseconds that all pauses may take together. */
  readonly maxWait: number;
  readonly signal: AbortSignal | undefined;
  readonly observe: ((event: CallEvent) => void) | undefined;
  readonly shared: SharedGate | undefined;
}

export function createGate({ clock, random, maxWait, signal, observe, shared }: GateOptions): Gate {
  const slowStart = new SlowStart();
  let left = maxWait;
  const steady = () => steadyNow(clock);
  /** By the steady clock: a pause is no longer because the time of day is set back. */
  let opensAt = Number.NEGATIVE_INFINITY;
  let heeded: number | undefined;
  /** Pauses since a request was last answered that nobody said the length of. */
  let guesses = 0;

  /** Stays closed for so many milliseconds, and some jitter longer; false when that is more waiting than is left. */
  function hold(milliseconds: number, reason: string): boolean {
    const now = steady();
    const from = Math.max(opensAt, now);
    const pause = now + milliseconds - from;
    if (pause > left) return false;
    const jittered = Math.min(left, pause + random() * Math.min(MOST_JITTER, pause / 4));
    left -= jittered;
    opensAt = from + jittered;
    slowStart.begin();
    observe?.({ kind: 'waiting', untilEpoch: clock.now() + opensAt - now, reason });
    return true;
  }

  /** A pause that another run met is kept where there is the time; a run that may not wait asks the service itself. */
  function heedOthers(): void {
    const until = shared?.closedUntil();
    if (until === undefined || until === heeded) return;
    heeded = until;
    const pause = until - clock.now();
    if (pause <= LONGEST_PAUSE && pause > Math.max(0, opensAt - steady())) hold(pause, MET_BY_ANOTHER);
  }

  async function opened(): Promise<void> {
    heedOthers();
    for (let waitedFor = steady(); opensAt > waitedFor; heedOthers()) {
      waitedFor = opensAt;
      await clock.sleep(Math.max(0, opensAt - steady()), signal);
    }
  }

  function leave(answered: boolean): void {
    if (answered) guesses = 0;
    slowStart.leave(answered);
  }

  /** Milliseconds to wait where the service does not say how long. */
  function guessedPause(): number {
    const pause = Math.min(OWN_PAUSE, SHORTEST_PAUSE * 2 ** guesses);
    guesses += 1;
    return pause;
  }

  return {
    async pass() {
      for (;;) {
        await opened();
        await slowStart.enter(signal);
        // While it queued, the gate may have been closed again.
        if (opensAt <= steady()) return leave;
        slowStart.leave(false);
      }
    },
    close({ retryAfter, forMinute }) {
      const asked = retryAfterMilliseconds(retryAfter, clock.now());
      const closedFor = opensAt - steady();
      // Requests that were on their way when the gate closed are told the same; only a longer time is news.
      if (closedFor > 0 && (asked ?? 0) <= closedFor) return true;
      const pause = asked ?? (forMinute ? OWN_PAUSE : guessedPause());
      if (!hold(pause, MET_HERE)) return false;
      const until = clock.now() + pause;
      heeded = until;
      shared?.close(until);
      return true;
    },
  };
}

const MET_HERE = "the service's rate limit";
const MET_BY_ANOTHER = "the service's rate limit, which another svc process met";

/**
 * Milliseconds that a `Retry-After` header asks for, in seconds or as an HTTP date, and at least one second. What is no
 * such value, or asks for over an hour, is ignored: `undefined`.
 */
export function retryAfterMilliseconds(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  const asked = /^\d{1,9}$/.test(text)
    ? Number(text) * 1000
    : HTTP_DATE.test(text)
      ? Date.parse(text) - now
      : Number.NaN;
  if (Number.isNaN(asked) || asked > LONGEST_PAUSE) return undefined;
  return Math.max(SHORTEST_PAUSE, asked);
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
