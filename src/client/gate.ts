import type { Clock } from '../kernel/clock.ts';
import type { CallEvent } from './call-event.ts';

const DEFAULT_PAUSE = 60_000;
const SHORTEST_PAUSE = 1_000;
const LONGEST_PAUSE = 60 * 60_000;
const MOST_JITTER = 15_000;

/** The gate that every attempt of every call passes. A rate limit closes it for all of them. */
interface Gate {
  /** Resolves when the gate is open; rejects with the signal's reason. */
  pass(): Promise<void>;
  /** Closes the gate for as long as the service asks; false when that is more waiting than is left. */
  close(retryAfter: string | undefined): boolean;
}

interface GateOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** Milliseconds that all pauses may take together. */
  readonly maxWait: number;
  readonly signal: AbortSignal | undefined;
  readonly observe: ((event: CallEvent) => void) | undefined;
}

export function createGate({ clock, random, maxWait, signal, observe }: GateOptions): Gate {
  let left = maxWait;
  let opensAt = Number.NEGATIVE_INFINITY;
  return {
    async pass() {
      let waitedFor = clock.now();
      while (opensAt > waitedFor) {
        waitedFor = opensAt;
        await clock.sleep(Math.max(0, opensAt - clock.now()), signal);
      }
    },
    close(retryAfter) {
      const now = clock.now();
      const asked = retryAfterMilliseconds(retryAfter, now);
      const isClosed = opensAt > now;
      // Requests that were on their way when the gate closed are told the same; only a longer time is news.
      if (isClosed && (asked ?? 0) <= opensAt - now) return true;
      const from = isClosed ? opensAt : now;
      const pause = now + (asked ?? DEFAULT_PAUSE) - from;
      if (pause > left) return false;
      const jittered = Math.min(left, pause + random() * Math.min(MOST_JITTER, pause / 4));
      left -= jittered;
      opensAt = from + jittered;
      observe?.({ kind: 'waiting', untilEpoch: opensAt, reason: 'the service limits the rate of requests' });
      return true;
    },
  };
}

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
