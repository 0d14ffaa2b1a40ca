import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createRateLimiter } from '../../src/client/rate-limiter.ts';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import { target } from './client-fixture.ts';

const PROCESSES = 4;
const IN_FLIGHT = 16;
const WINDOW = 20_000;
const DURATION = 10 * WINDOW;

/** Creates a clock whose time moves to the next timer as soon as nothing is left to do. */
function createSimulatedClock() {
  let time = 0;
  const timers: { readonly at: number; readonly resolve: () => void }[] = [];
  return {
    now: () => time,
    sleep: (milliseconds: number) =>
      new Promise<void>((resolve) => void timers.push({ at: time + milliseconds, resolve })),
    async advance(milliseconds: number): Promise<void> {
      const end = time + milliseconds;
      for (;;) {
        await setImmediate();
        timers.sort((a, b) => a.at - b.at);
        const next = timers.shift();
        if (!next || next.at > end) return;
        time = next.at;
        next.resolve();
      }
    },
  };
}

/** Counts the requests that each process gets through a service with a rate limit. */
async function countRequests(quota: number, random: () => number): Promise<readonly number[]> {
  const clock = createSimulatedClock();
  let paused: number | undefined;
  const shared = {
    pausedUntil: () => paused,
    pauseUntil: (until: number) => {
      paused = Math.max(paused ?? 0, until);
    },
  };
  let [window, used, isOver] = [0, 0, false];
  const isLimited = () => {
    const now = Math.floor(clock.now() / WINDOW);
    if (now !== window) [window, used] = [now, 0];
    used += 1;
    return used > quota;
  };
  const counts = Array.from({ length: PROCESSES }, () => 0);
  for (const process of counts.keys()) {
    const transport = () => Promise.reject(new Error('unused'));
    const options = { clock, target: target(), transport, random, maxWait: DURATION * 2 };
    const limiter = createRateLimiter({ ...options, sharedRateLimit: shared });
    const send = async () => {
      while (!isOver) {
        const release = await limiter.acquire();
        await clock.sleep(5 + 10 * random());
        const isRefused = isLimited();
        release(!isRefused);
        const seconds = Math.ceil((WINDOW - (clock.now() % WINDOW)) / 1_000);
        if (isRefused) limiter.pause({ retryAfter: seconds * 1_000 });
        else counts[process] = (counts[process] ?? 0) + 1;
      }
    };
    for (let worker = 0; worker < IN_FLIGHT; worker += 1) void send();
  }
  await clock.advance(DURATION);
  isOver = true;
  return counts;
}

/** Creates a generator of even random numbers, unlike those of fast-check, which prefers edges. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

it(
  'gives processes that share a pause equal shares of a rate, within a factor of two',
  SLOW,
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 200, max: 2_000 }), fc.nat(), async (quota, seed) => {
        const counts = await countRequests(quota, createRandom(seed));
        expect(Math.max(...counts) / Math.min(...counts), counts.join()).toBeLessThan(2);
      }),
      { numRuns: repeats(5) },
    );
  },
);
