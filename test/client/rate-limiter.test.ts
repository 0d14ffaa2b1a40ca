import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRateLimiter } from '../../src/client/rate-limiter.ts';
import { readRetryAfter } from '../../src/client/retry-after.ts';
import { isCertainlyNotApplied } from '../../src/client/service-error.ts';
import { mentionsQuota } from '../../src/client/service-failure.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import {
  errorOf,
  failure,
  fakeClock,
  json,
  newClient,
  OPERATIONS,
  scriptedFetch,
  success,
} from './client-fixture.ts';

const MINUTE = 60_000;
const limited = (headers: Record<string, string> = {}) =>
  failure('RESOURCE_EXHAUSTED', 429, 'Rate limit exceeded. Try again after 1 minute.', headers);

describe('a rate limit', () => {
  it('is waited out for a minute plus jitter, then the call continues', async () => {
    const { fetch, requests } = scriptedFetch(limited(), success());
    for (const random of [0, 0.999]) {
      requests.length = 0;
      const { client, clock } = newClient({ fetch, random: () => random });
      expect(await client.call(OPERATIONS.keyed, {})).toMatchObject({
        data: { id: 'a' },
        retries: 1,
      });
      expect(clock.slept[0]).toBeGreaterThanOrEqual(MINUTE);
      expect(clock.slept[0]).toBeLessThan(MINUTE * 1.25);
    }
  });

  it('lasts as long as the service specifies', async () => {
    const { fetch } = scriptedFetch(limited({ 'retry-after': '7' }), success());
    const { client, clock, events } = newClient({ fetch, random: () => 0 });
    const before = clock.now();
    await client.call(OPERATIONS.read, {});
    expect(clock.slept).toEqual([7_000]);
    const waiting = events.filter(({ kind }) => kind === 'waiting');
    expect(waiting).toEqual([
      { kind: 'waiting', untilEpoch: before + 7_000, reason: "the service's rate limit" },
    ]);
  });

  it('does not count as an attempt', async () => {
    const steps = [
      limited({ 'retry-after': '1' }),
      limited({ 'retry-after': '1' }),
      limited({ 'retry-after': '1' }),
    ];
    const { fetch, requests } = scriptedFetch(...steps, failure('UNAVAILABLE', 503), success());
    await newClient({ fetch }).client.call(OPERATIONS.set, {});
    expect(requests).toHaveLength(5);
  });

  it('exits with 7 at once if waiting is not allowed', async () => {
    const { fetch, requests } = scriptedFetch(limited());
    const { client, clock } = newClient({ fetch, maxWait: 0 });
    expect(await errorOf(client.call(OPERATIONS.read, {}))).toMatchObject({
      exitCode: 7,
      status: 'RESOURCE_EXHAUSTED',
    });
    expect([requests.length, clock.slept]).toEqual([1, []]);
  });

  it('exits with 7 when the waiting time is used up, and never waits longer', async () => {
    const { fetch } = scriptedFetch(limited());
    const { client, clock } = newClient({ fetch, maxWait: 10 * MINUTE });
    expect((await errorOf(client.call(OPERATIONS.read, {}))).exitCode).toBe(7);
    const waited = clock.slept.reduce((sum, slept) => sum + slept, 0);
    expect(waited).toBeLessThanOrEqual(10 * MINUTE);
    expect(waited).toBeGreaterThan(8 * MINUTE);
  });

  it('is waited out if it matches the remaining time exactly', async () => {
    const { fetch } = scriptedFetch(limited({ 'retry-after': '3' }), success());
    const { client, clock } = newClient({ fetch, maxWait: 3_000 });
    await client.call(OPERATIONS.read, {});
    expect(clock.slept).toEqual([3_000]);
  });

  it('is not waited out by an operation with the effect once', async () => {
    const { fetch, requests } = scriptedFetch(limited(), success());
    expect((await errorOf(newClient({ fetch }).client.call(OPERATIONS.once, {}))).exitCode).toBe(7);
    expect(requests).toHaveLength(1);
  });

  it('does not settle an earlier attempt, nor does a quota', async () => {
    for (const last of [limited(), failure('RESOURCE_EXHAUSTED', 429, 'maximum of 30')]) {
      const { fetch } = scriptedFetch(failure('INTERNAL', 500), last);
      const { client } = newClient({ fetch, maxWait: 0 });
      expect((await errorOf(client.call(OPERATIONS.keyed, {}))).exitCode).toBe(9);
    }
  });

  it.each([
    ['a page of a proxy', () => new Response('<h1>Slow down</h1>', { status: 429 })],
    ['an error without a status', () => json({ error: { message: 'slow down' } }, 429)],
  ])(
    'without a duration is retried after a second, then twice as long each time: %s',
    async (_, slow) => {
      const { fetch } = scriptedFetch(
        ...Array.from({ length: 8 }, slow),
        success(),
        slow(),
        success(),
      );
      const { client, clock } = newClient({ fetch, random: () => 0 });
      await client.call(OPERATIONS.read, {});
      expect(clock.slept).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1_000));
      await client.call(OPERATIONS.read, {});
      expect(clock.slept.at(-1)).toBe(1_000);
      const jittered = newClient({
        ...scriptedFetch(slow(), slow(), success()),
        random: () => 0.8,
      });
      await jittered.client.call(OPERATIONS.read, {});
      expect(jittered.clock.slept).toEqual([1_200, 2_400]);
    },
  );

  it('keeps its length when the system clock is changed', async () => {
    for (const set of [-MINUTE * 60, MINUTE * 60]) {
      let [steady, offset] = [0, 0];
      const slept: number[] = [];
      const clock = {
        monotonic: () => steady,
        now: () => Date.UTC(2030, 0, 1) + steady + offset,
        sleep: async (milliseconds: number) => {
          slept.push(milliseconds);
          // Simulates a timer that fires early after the system clock was changed.
          if (offset === 0) steady += milliseconds / 2;
          else steady += milliseconds;
          offset = set;
        },
      };
      const { fetch, requests } = scriptedFetch(limited(), success());
      await newClient({ fetch, clock, random: () => 0 }).client.call(OPERATIONS.read, {});
      expect([requests.length, steady, slept[0]]).toEqual([2, MINUTE, MINUTE]);
    }
  });

  it('stops waiting at once when the signal aborts', async () => {
    const controller = new AbortController();
    const stopped = new Error('stopped by a test');
    const { fetch } = scriptedFetch(limited());
    const { client } = newClient({
      fetch,
      clock: systemClock,
      signal: controller.signal,
      observe: ({ kind }) => kind === 'waiting' && setImmediate(() => controller.abort(stopped)),
    });
    await expect(client.call(OPERATIONS.read, {})).rejects.toBe(stopped);
  });
});

describe('the rate limiter', () => {
  it('pauses every call, and counts each pause once', async () => {
    let now = 0;
    const sleepers: (() => void)[] = [];
    const clock = {
      now: () => now,
      sleep: () => new Promise<void>((resolve) => sleepers.push(resolve)),
    };
    let isLimited = true;
    const { fetch, requests } = scriptedFetch(() => (isLimited ? limited() : success()));
    const { client, events } = newClient({ fetch, clock, maxWait: 70_000, random: () => 0 });
    const calls = Array.from({ length: 16 }, () => client.call(OPERATIONS.read, {}));
    await expect.poll(() => sleepers.length).toBe(16);
    const late = client.call(OPERATIONS.read, {});
    await expect.poll(() => sleepers.length).toBe(17);
    expect(requests).toHaveLength(16);
    expect(events.filter(({ kind }) => kind === 'waiting')).toHaveLength(1);
    isLimited = false;
    now = MINUTE;
    for (const wake of sleepers) wake();
    expect(await Promise.all([...calls, late])).toHaveLength(17);
    expect(requests).toHaveLength(33);
  });

  it('extends a pause if a later response asks for more, and counts only the extension', async () => {
    const wakers: (() => void)[] = [];
    const slept: number[] = [];
    let now = 0;
    const clock = {
      now: () => now,
      sleep: (milliseconds: number) => {
        slept.push(milliseconds);
        return new Promise<void>((resolve) => wakers.push(resolve));
      },
    };
    const target = { baseUrl: 'https://api.example.com', headerPrefix: 'x-svc-' };
    const transport = () => Promise.reject(new Error('unused'));
    const gate = createRateLimiter({ clock, target, transport, random: () => 0, maxWait: 20_000 });
    expect(gate.pause({ retryAfter: 5_000 })).toBeUndefined();
    const passed = gate.acquire();
    expect(gate.pause({ retryAfter: 20_000 })).toBeUndefined();
    expect(gate.pause({ retryAfter: 21_000 })).toBe(21_000);
    now = 5_000;
    wakers[0]?.();
    await expect.poll(() => slept).toEqual([5_000, 15_000]);
    now = 20_000;
    wakers[1]?.();
    await passed;
  });
});

describe('a pause that svc processes share', () => {
  const REASON = "the service's rate limit, reported by another svc process";

  function shared(until?: number) {
    const told: number[] = [];
    return {
      told,
      gate: {
        pausedUntil: () => until,
        pauseUntil: (untilEpoch: number) => void told.push(untilEpoch),
      },
    };
  }
  const now = fakeClock().now();

  it('is waited out as it is, so that all processes resume at the same moment', async () => {
    const { gate, told } = shared(now + 40_000);
    const { fetch, requests } = scriptedFetch(success());
    const { client, clock, events } = newClient({ fetch, sharedRateLimit: gate });
    await client.call(OPERATIONS.once, {});
    expect(clock.slept).toEqual([40_000]);
    expect(events[0]).toEqual({ kind: 'waiting', untilEpoch: now + 40_000, reason: REASON });
    expect([requests.length, told]).toEqual([1, []]);
    await client.call(OPERATIONS.read, {});
    expect(clock.slept).toHaveLength(1);
  });

  it('is announced with its jitter when this process waits', async () => {
    const { gate, told } = shared();
    const { fetch } = scriptedFetch(limited({ 'retry-after': '8' }), success());
    const { client, clock } = newClient({ fetch, sharedRateLimit: gate, random: () => 0.5 });
    await client.call(OPERATIONS.read, {});
    expect([told, clock.slept]).toEqual([[now + 9_000], [9_000]]);
  });

  it('is not taken for that of another process if the file still had an earlier one', () => {
    const clock = fakeClock();
    const start = clock.now();
    let time = start;
    let until: number | undefined = start - 1;
    const reasons: string[] = [];
    const limiter = createRateLimiter({
      clock: { ...clock, now: () => time, monotonic: () => start },
      target: { baseUrl: 'https://api.example.com', headerPrefix: 'x-svc-' },
      transport: () => Promise.reject(new Error('unused')),
      random: () => 0,
      maxWait: 60_000,
      observe: (event) => void ('reason' in event && reasons.push(event.reason)),
      sharedRateLimit: { pausedUntil: () => until, pauseUntil: () => undefined },
    });
    limiter.pause({ retryAfter: 10_000 });
    // Reads the earlier pause, then its own one, by a clock that is a little behind.
    limiter.pause({ retryAfter: 1_000 });
    until = start + 10_000;
    time = start - 0.5;
    limiter.pause({ retryAfter: 1_000 });
    expect(reasons).toEqual(["the service's rate limit"]);
  });

  it('replaces a shorter one of this process, and is not announced again', async () => {
    let until: number | undefined;
    const told: number[] = [];
    const gate = { pausedUntil: () => until, pauseUntil: (end: number) => void told.push(end) };
    const { fetch } = scriptedFetch(() => {
      until = now + 30_000;
      return limited({ 'retry-after': '8' });
    }, success());
    const { client, clock } = newClient({ fetch, sharedRateLimit: gate, random: () => 0.5 });
    await client.call(OPERATIONS.read, {});
    expect([told, clock.slept]).toEqual([[], [30_000]]);
  });

  it.each([
    ['is more than may be waited', now + 40_000, 39_999],
    ['may not be waited for at all', now + 40_000, 0],
    ['is over', now - 1, 600_000],
    ['is further away than any service asks for', now + 3_600_001, 1e9],
    ['is not a number', Number.NaN, 600_000],
    ['never ends', Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
  ])('is tested with a request if it %s', async (_, until, maxWait) => {
    const { gate, told } = shared(until);
    const { fetch, requests } = scriptedFetch(success());
    const { client, clock } = newClient({ fetch, sharedRateLimit: gate, maxWait });
    await client.call(OPERATIONS.read, {});
    expect([requests.length, clock.slept, told]).toEqual([1, [], []]);
  });

  it('is not announced if this process does not wait', async () => {
    for (const [operation, maxWait] of [
      [OPERATIONS.read, 0],
      [OPERATIONS.once, 600_000],
    ] as const) {
      const { gate, told } = shared();
      const { fetch } = scriptedFetch(limited());
      const { client } = newClient({ fetch, sharedRateLimit: gate, maxWait });
      expect((await errorOf(client.call(operation, {}))).exitCode).toBe(7);
      expect(told).toEqual([]);
    }
  });
});

describe('requests after a pause', () => {
  it('start with one, and increase with each response', async () => {
    let [underWay, most, limits] = [0, 0, 16];
    const peaks: number[] = [];
    const { fetch, requests } = scriptedFetch(async () => {
      if (limits > 0) {
        limits -= 1;
        return limited({ 'retry-after': '1' });
      }
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise(setImmediate);
      peaks.push(underWay);
      underWay -= 1;
      return success();
    });
    const { client } = newClient({ fetch });
    await Promise.all(Array.from({ length: 16 }, () => client.call(OPERATIONS.read, {})));
    expect(requests).toHaveLength(32);
    expect(peaks[0]).toBe(1);
    expect(peaks[1]).toBe(2);
    expect(Math.max(...peaks.slice(0, 3))).toBeLessThanOrEqual(3);
    expect(most).toBeGreaterThan(3);
  });

  it('wait again, including queued ones, if the rate limit recurs', async () => {
    let limits = 12;
    let underWay = 0;
    const peaks: number[] = [];
    const { fetch } = scriptedFetch(async () => {
      underWay += 1;
      peaks.push(underWay);
      await new Promise(setImmediate);
      underWay -= 1;
      limits -= 1;
      return limits >= 0 ? limited({ 'retry-after': '1' }) : success();
    });
    const { client } = newClient({ fetch, maxWait: 3_600_000 });
    await Promise.all(Array.from({ length: 4 }, () => client.call(OPERATIONS.read, {})));
    // Four requests hit the limit first. After each pause, one request tests it for all, until one
    // succeeds.
    expect(peaks.slice(0, 13)).toEqual([1, 2, 3, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
  });
});

describe('Retry-After', () => {
  const now = Date.UTC(2030, 0, 1);
  const read = (headers: Readonly<Record<string, string>>) =>
    readRetryAfter(
      {
        retryAfter: headers['retry-after'],
        date: headers['date'],
        header: (name) => headers[name],
      },
      () => now,
    );

  it.each<[string, number | undefined]>([
    ['7', 7_000],
    [' 120 ', 120_000],
    ['0', 1_000],
    ['1.5', 2_000],
    ['0.2', 1_000],
    ['3600', 3_600_000],
    ['86400', 86_400_000],
    ['99999999999999999999', 31_536_000_000],
    ['Sun, 06 Nov 9994 08:49:37 GMT', 31_536_000_000],
    ['Tue, 01 Jan 2030 00:00:30 GMT', 30_000],
    ['Tuesday, 01-Jan-30 00:00:30 GMT', 30_000],
    ['Tue Jan  1 00:00:30 2030', 30_000],
    ['Tue, 01 Jan 2030 00:00:00 GMT', 1_000],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 1_000],
    ['Tue, 99 Jan 2030 00:00:30 GMT', undefined],
    ['-5', undefined],
    ['1e3', undefined],
    ['0x10', undefined],
    ['Infinity', undefined],
    ['NaN', undefined],
    ['soon', undefined],
    ['7, 8', undefined],
    ['2030-01-01', undefined],
    ['', undefined],
  ])('%j means %s ms', (header, expected) => {
    expect(read({ 'retry-after': header })).toBe(expected);
  });

  it('is undefined without the header', () => {
    expect(read({})).toBeUndefined();
  });

  it("as a date is compared with the response's own date", () => {
    const date = 'Tue, 01 Jan 2030 00:15:00 GMT';
    expect(read({ 'retry-after': 'Tue, 01 Jan 2030 00:15:03 GMT', date })).toBe(3_000);
    expect(read({ 'retry-after': 'Tue, 01 Jan 2030 00:15:03 GMT', date: 'now' })).toBe(903_000);
  });

  it.each([
    ['1500', 1_500],
    ['250.4', 251],
    ['0', 100],
    ['soon', 7_000],
  ])('in milliseconds takes precedence: %s', (milliseconds, expected) => {
    expect(read({ 'retry-after': '7', 'retry-after-ms': milliseconds })).toBe(expected);
  });

  it('is at least a second, or undefined', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.integer().map(String),
          fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
        ),
        (header) => {
          const asked = read({ 'retry-after': header });
          expect(asked === undefined || asked >= 1_000).toBe(true);
        },
      ),
    );
  });

  const page = (status: number, headers: Record<string, string>) =>
    new Response('<h1>Maintenance</h1>', { status, headers });
  /** Responses with 429 and 503, of the service, of a library, and of a proxy. */
  const answers: readonly [string, (headers: Record<string, string>) => Response][] = [
    ['a rate limit', limited],
    ['a page with 429', (headers) => page(429, headers)],
    ['an unavailable service', (headers) => failure('UNAVAILABLE', 503, 'maintenance', headers)],
    ['an unknown status', (headers) => failure('MAINTENANCE', 503, 'maintenance', headers)],
    ['an error without a status', (headers) => json({ error: 'maintenance' }, 503, headers)],
    ['JSON without an error', (headers) => json({ up: false }, 503, headers)],
    ['a page with 503', (headers) => page(503, headers)],
  ];

  const EFFECTS = ['read', 'keyed', 'set', 'delete', 'once'] as const;

  it.each(answers)('is waited out: %s', async (_, answer) => {
    for (const effect of EFFECTS) {
      const { fetch } = scriptedFetch(
        ...Array.from({ length: 5 }, () => answer({ 'retry-after': '45' })),
        success(),
      );
      const { client, clock } = newClient({ fetch, random: () => 0 });
      await client.send(OPERATIONS[effect], {});
      expect(clock.slept).toEqual(Array.from({ length: 5 }, () => 45_000));
    }
  });

  it.each(answers)('that is too long exits with 7 at once: %s', async (_, answer) => {
    for (const effect of EFFECTS) {
      const { fetch, requests } = scriptedFetch(answer({ 'retry-after': '7200' }), success());
      const { client, clock } = newClient({ fetch });
      const error = await errorOf(client.send(OPERATIONS[effect], {}));
      expect(error).toMatchObject({
        exitCode: 7,
        hint: 'the service asks to wait 2h: try again after that time, or wait with --max-wait 2h',
      });
      expect([requests.length, clock.slept]).toEqual([1, []]);
    }
  });

  it.each(answers)('proves that a write was not applied: %s', async (_, answer) => {
    const { fetch } = scriptedFetch(answer({ 'retry-after': '7200' }));
    const error = await errorOf(newClient({ fetch }).client.send(OPERATIONS.once, {}));
    expect(isCertainlyNotApplied(error)).toBe(true);
  });

  it('counts the time that was waited before', async () => {
    const { fetch } = scriptedFetch(
      limited({ 'retry-after': '60' }),
      limited({ 'retry-after': '7200' }),
    );
    const { client } = newClient({ fetch, random: () => 0 });
    const { hint } = await errorOf(client.send(OPERATIONS.read, {}));
    expect(hint).toContain('--max-wait 121m');
  });

  it('is named by its reason', async () => {
    const { fetch } = scriptedFetch(page(503, { 'retry-after': '45' }), success());
    const { client, events } = newClient({ fetch });
    await client.send(OPERATIONS.read, {});
    expect(events).toContainEqual(
      expect.objectContaining({ kind: 'waiting', reason: 'the service, which is unavailable' }),
    );
  });

  it('does not repeat a request that the service rejected, or of which it reports results', async () => {
    const rejected = failure('INVALID_ARGUMENT', 503, 'no', { 'retry-after': '1' });
    const partly = json(
      { error: { status: 'UNAVAILABLE', message: 'no', details: { a: { success: true } } } },
      503,
      { 'retry-after': '1' },
    );
    for (const [answer, exitCode] of [
      [rejected, 3],
      [partly, 9],
    ] as const) {
      const { fetch, requests } = scriptedFetch(answer, success());
      const error = await errorOf(newClient({ fetch }).client.send(OPERATIONS.keyed, {}));
      expect([error.exitCode, requests.length]).toEqual([exitCode, 1]);
    }
  });
});

describe('a quota', () => {
  it.each([
    'You can create a maximum of 30 endpoints.',
    'Maximum number of endpoints (50) reached.',
    'At most 100 users may be added.',
    'The limit of 5 API keys has been reached',
    'Max 10 channels per endpoint',
    'You have reached the maximum number of documents.',
    'No more than 1000 documents',
    'You may have up to 3 workspaces. Try again after deleting one.',
    'You have reached the maximum number of organizations.',
    'A folder holds 1,000 documents at most.',
    'Only 5 API keys are allowed.',
    '250 endpoints exceed the limit',
    'Maximum of ten documents per request',
  ])('is detected in "%s"', async (message) => {
    expect(mentionsQuota(message)).toBe(true);
    const { fetch, requests } = scriptedFetch(
      failure('RESOURCE_EXHAUSTED', 429, message),
      success(),
    );
    const { client, clock } = newClient({ fetch });
    expect(await errorOf(client.call(OPERATIONS.read, {}))).toMatchObject({
      exitCode: 7,
      message,
      retryable: false,
    });
    expect([requests.length, clock.slept]).toEqual([1, []]);
  });

  it.each([
    'Rate limit exceeded. Try again after 1 minute.',
    'Rate limit exceeded, retry in 60 s',
    'Rate limit of 60 requests per minute exceeded',
    'Too many requests',
    'Limit exceeded. Please wait 30 seconds.',
    'Quota exceeded',
    'Maximum request rate exceeded',
    'The maximum number of requests was reached',
    'At most 10 requests/second',
    'Maximum number of concurrent requests reached',
    'Maximum of 1000 calls per hour',
    'slow down',
    '',
  ])('is not detected in "%s"', (message) => {
    expect(mentionsQuota(message)).toBe(false);
  });

  it('is never waited for, even if the service specifies a time', async () => {
    const quota = json({ error: { status: 'RESOURCE_EXHAUSTED', message: 'maximum of 30' } }, 429, {
      'retry-after': '1',
    });
    const { fetch, requests } = scriptedFetch(quota, success());
    await errorOf(newClient({ fetch }).client.call(OPERATIONS.read, {}));
    expect(requests).toHaveLength(1);
  });
});
