import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RequestTiming } from '../../../src/bulk/limiter/adaptive-limit.ts';
import { createLimiter } from '../../../src/bulk/limiter/limiter.ts';
import { fakeClock } from '../../client/client-fixture.ts';
import { SLOW } from '../../slow.ts';

const DONE: RequestTiming = { milliseconds: 1, limited: false, failed: false };
const never = new AbortController().signal;

const limiter = (concurrency: number | 'auto', perSecond?: number) => {
  const clock = fakeClock();
  return {
    clock,
    limiter: createLimiter({ concurrency, maximum: 16, clock, ...(perSecond && { perSecond }) }),
  };
};

describe('requests in flight', () => {
  it('never exceed the limit, and start in order', () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 8 }),
        fc.array(fc.boolean(), { maxLength: 60 }),
        async (most, steps) => {
          const { limiter: limited } = limiter(most);
          const started: number[] = [];
          let asked = 0;
          let flying = 0;
          for (const asks of steps) {
            if (asks) {
              const turnOf = asked++;
              void limited.acquire(100, never).then(() => started.push(turnOf));
            } else if (limited.inFlight > 0) limited.release(DONE);
            await turn();
            flying = limited.inFlight;
            expect(flying).toBeLessThanOrEqual(most);
          }
          expect(started).toEqual(started.map((_, at) => at));
          // No request waits while another one may start.
          if (flying < most) expect(started).toHaveLength(asked);
        },
      ),
    ));

  it('release their slot if a pending one is canceled', async () => {
    const { limiter: limited } = limiter(1);
    const leaving = new AbortController();
    await limited.acquire(1, never);
    const waiting = limited.acquire(1, leaving.signal);
    const next = limited.acquire(1, never);
    leaving.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    limited.release(DONE);
    await next;
    expect(limited.inFlight).toBe(1);
    await expect(limited.acquire(1, leaving.signal)).rejects.toThrow('stopped');
  });

  it('release their slot if the wait for the rate is canceled', async () => {
    const stop = new AbortController();
    const { clock, limiter: limited } = limiter(4, 10);
    await limited.acquire(10, stop.signal);
    clock.sleep = (_, signal) =>
      new Promise((_resolve, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason)),
      );
    const waiting = limited.acquire(10, stop.signal);
    stop.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    expect(limited.inFlight).toBe(1);
  });
});

describe('records per second', () => {
  /**
   * The starts of batches whose sender is busy for a while before each, with timers that fire late.
   */
  async function starts(
    perSecond: number,
    batches: readonly { size: number; busy: number }[],
    lateness: number,
  ) {
    const { clock, limiter: limited } = limiter(64, perSecond);
    const sleep = clock.sleep;
    clock.sleep = (milliseconds, signal) => sleep(milliseconds + lateness, signal);
    const times: { at: number; size: number }[] = [];
    for (const { size, busy } of batches) {
      if (busy > 0) await sleep(busy);
      await limited.acquire(size, never);
      times.push({ at: clock.now(), size });
      limited.release(DONE);
    }
    return times;
  }

  const batch = fc.record({
    size: fc.integer({ min: 1, max: 100 }),
    busy: fc.integer({ min: 0, max: 300 }),
  });

  it('never exceed the rate in any interval, except by one batch and a small delay', SLOW, () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5000 }),
        fc.array(batch, { minLength: 2, maxLength: 40 }),
        fc.integer({ min: 0, max: 40 }),
        async (perSecond, batches, lateness) => {
          const times = await starts(perSecond, batches, lateness);
          for (const [first, { at: from }] of times.entries()) {
            let records = 0;
            for (const { at, size } of times.slice(first)) {
              // The one batch is the last of them.
              expect(records).toBeLessThanOrEqual(((at - from + 25) / 1000) * perSecond + 1e-6);
              records += size;
            }
          }
        },
      ),
    ),
  );

  it.each([
    { perSecond: 50, lateness: 0 },
    { perSecond: 1000, lateness: 3 },
    { perSecond: 10_000, lateness: 3 },
    { perSecond: 70_000, lateness: 1 },
  ])(
    'reach $perSecond over a long run with timers $lateness ms late',
    async ({ perSecond, lateness }) => {
      const times = await starts(
        perSecond,
        Array.from({ length: 400 }, () => ({ size: 100, busy: 0 })),
        lateness,
      );
      const seconds = ((times.at(-1)?.at ?? 0) - (times[0]?.at ?? 0)) / 1000;
      expect(39_900 / seconds / perSecond).toBeGreaterThan(0.98);
      expect(39_900 / seconds / perSecond).toBeLessThan(1.02);
    },
  );
});
