import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLimiter } from '../../../src/bulk/limiter/limiter.ts';
import { fakeClock } from '../../client/client-fixture.ts';
import { repeats } from '../../repeats.ts';
import { SLOW } from '../../slow.ts';

/**
 * The response of a service to a request that arrives while `inFlight` requests, itself included,
 * are pending.
 */
type Service = (inFlight: number) => {
  readonly milliseconds: number;
  readonly waited?: number;
  readonly limited?: boolean;
  readonly failed?: boolean;
};

/** Keeps a service as busy as the limiter allows; the limit after each request. */
async function limitsAgainst(service: Service, requests = 2_000): Promise<readonly number[]> {
  const limiter = createLimiter({ concurrency: 'auto', maximum: 16, clock: fakeClock() });
  const signal = new AbortController().signal;
  const flights: {
    end: number;
    milliseconds: number;
    waited: number;
    limited: boolean;
    failed: boolean;
  }[] = [];
  const limits: number[] = [];
  let now = 0;
  for (let sent = 0; sent < requests; sent += 1) {
    while (limiter.inFlight >= limiter.limit) {
      flights.sort((one, other) => one.end - other.end);
      const flight = flights.shift();
      if (!flight) throw new Error('a slot is lost');
      now = flight.end;
      limiter.release(flight);
      expect(limiter.limit).toBeGreaterThanOrEqual(1);
    }
    await limiter.acquire(100, signal);
    const { milliseconds, waited = 0, limited = false, failed = false } = service(limiter.inFlight);
    flights.push({ end: now + milliseconds, milliseconds, waited, limited, failed });
    limits.push(limiter.limit);
  }
  return limits;
}

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Works on `parallel` requests at once, each for so many milliseconds; the others wait. */
const busyService =
  (parallel: number, milliseconds: number): Service =>
  (inFlight) => ({ milliseconds: milliseconds * Math.max(1, inFlight / parallel) });

describe('the adaptive limit', () => {
  it('starts with one request and doubles', async () => {
    const limits = await limitsAgainst(() => ({ milliseconds: 20 }), 60);
    expect([...new Set(limits)]).toEqual([1, 2, 4, 8, 16]);
    expect(limits.indexOf(16)).toBeLessThan(40);
  });

  it('goes to the most where a quick service keeps up, and no further', async () => {
    expect(Math.max(...(await limitsAgainst(() => ({ milliseconds: 2 }))))).toBe(16);
  });

  it('goes to twice the most where the way is long and the service keeps up', async () => {
    const limits = await limitsAgainst(() => ({ milliseconds: 20 }));
    expect(mean(limits.slice(300))).toBeGreaterThan(30);
    expect(Math.max(...limits)).toBe(32);
    expect(limits.indexOf(32)).toBeGreaterThan(80);
  });

  it.each([
    { parallel: 1, milliseconds: 50 },
    { parallel: 4, milliseconds: 50 },
    { parallel: 8, milliseconds: 200 },
  ])(
    'keeps a service that does $parallel at once busy without crowding it',
    async ({ parallel, milliseconds }) => {
      const settled = (await limitsAgainst(busyService(parallel, milliseconds))).slice(200);
      expect(mean(settled)).toBeGreaterThanOrEqual(parallel);
      expect(mean(settled)).toBeLessThan(parallel + 12);
    },
  );

  it('takes noise for noise', SLOW, () =>
    fc.assert(
      fc.asyncProperty(
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        async (noise) => {
          // Half around 30 ms, with a long tail.
          const slowness = () => 30 * Math.exp((noise.next().value ?? 0) ** 4 * 3);
          const limits = await limitsAgainst(() => ({ milliseconds: slowness() }), 1_000);
          expect(mean(limits.slice(200))).toBeGreaterThan(12);
        },
      ),
      { numRuns: repeats(10) },
    ),
  );

  it.each([1, 3, 6, 12])(
    'stays around %i where the service refuses more than that',
    async (allowed) => {
      const limits = await limitsAgainst((inFlight) => ({
        milliseconds: 5,
        limited: inFlight > allowed,
      }));
      expect(mean(limits.slice(200))).toBeLessThanOrEqual(allowed + 1);
      expect(mean(limits.slice(200))).toBeGreaterThan(allowed / 2);
    },
  );

  it('never goes below one, however often the service fails', SLOW, () =>
    fc.assert(
      fc.asyncProperty(
        fc.infiniteStream(fc.constantFrom('ok', 'limited', 'failed')),
        async (outcomes) => {
          const limits = await limitsAgainst(() => {
            const { value } = outcomes.next();
            return { milliseconds: 5, limited: value === 'limited', failed: value === 'failed' };
          }, 200);
          expect(Math.min(...limits)).toBe(1);
          expect(Math.max(...limits)).toBeLessThanOrEqual(32);
        },
      ),
      { numRuns: repeats(20) },
    ),
  );

  it('takes no time for slowness that a request was held back for others', async () => {
    let sent = 0;
    const limits = await limitsAgainst(() => {
      sent += 1;
      const waited = sent > 500 && sent < 600 ? 60_000 : 0;
      return { milliseconds: 20 + waited, waited };
    });
    expect(Math.min(...limits.slice(500, 700))).toBeGreaterThanOrEqual(16);
  });

  it('gives way when a service that kept up gets crowded, and comes back', async () => {
    let sent = 0;
    const limits = await limitsAgainst((inFlight) => {
      sent += 1;
      const crowded = sent > 500 && sent < 1_000;
      return { milliseconds: crowded ? 50 * inFlight : 20 };
    });
    expect(mean(limits.slice(600, 1_000))).toBeLessThan(12);
    expect(mean(limits.slice(1_300))).toBeGreaterThan(24);
  });
});
