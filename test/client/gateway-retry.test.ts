import { describe, expect, it } from 'vitest';
import type { Operation } from '../../src/catalog/define.ts';
import type { SvcError } from '../../src/kernel/errors.ts';
import {
  errorOf,
  failure,
  newClient,
  OPERATIONS,
  type Step,
  scriptedFetch,
  success,
} from './client-fixture.ts';

type EffectName = keyof typeof OPERATIONS;

const page = (status: number) =>
  new Response('<html>Bad gateway</html>', { status, headers: { 'content-type': 'text/html' } });
const badGateway = page(502);

/** Calls an operation, and returns how it ended, with the time of each request in milliseconds. */
async function run(effect: EffectName, options: Parameters<typeof newClient>[0], ...steps: Step[]) {
  const { fetch } = scriptedFetch(...steps);
  const times: number[] = [];
  const { client, clock } = newClient({
    ...options,
    fetch: (input, init) => {
      times.push(clock.now());
      return fetch(input, init);
    },
  });
  const called = await client.call(OPERATIONS[effect] as Operation, {}).then(
    () => ({ end: 'ok', hint: undefined }),
    (error: SvcError) => ({ end: error.failure, hint: error.hint }),
  );
  return { ...called, times: times.map((time) => time - (times[0] ?? 0)) };
}

describe('while a proxy does not reach the service', () => {
  it.each<[EffectName, string]>([
    ['read', 'unreachable'],
    ['keyed', 'outcome_unknown'],
    ['delete', 'outcome_unknown'],
    ['set', 'outcome_unknown'],
  ])('a request with the effect %s is retried for 10 s', async (effect, expected) => {
    for (const status of [502, 503, 504]) {
      const { end, times } = await run(effect, {}, page(status));
      expect([end, times]).toEqual([expected, [0, 250, 750, 1_750, 3_750, 6_250, 8_750, 10_000]]);
    }
  });

  it('a request with the effect once is never retried, and its outcome is unknown', async () => {
    const { end, hint, times } = await run('once', {}, badGateway, success());
    expect([end, times]).toEqual(['outcome_unknown', [0]]);
    expect(hint).not.toContain('--retry-for');
  });

  it('a request is retried until the service is back', async () => {
    const steps = [badGateway, page(503), badGateway, page(504), success()];
    expect(await run('keyed', {}, ...steps)).toMatchObject({
      end: 'ok',
      times: [0, 250, 750, 1_750, 3_750],
    });
  });

  it.each([
    [0, [0]],
    [600, [0, 250, 600]],
    [60_000, expect.arrayContaining([60_000])],
  ])('a request is retried for %i ms if the caller reports it', async (retryFor, times) => {
    const retryTimes = { call: retryFor, job: 0 };
    const ended = await run('read', { retryTimes }, badGateway);
    expect(ended.times).toEqual(times);
    expect(ended.hint).toContain('--retry-for');
  });

  it('the requests of a job are retried for 30 s', async () => {
    const { fetch } = scriptedFetch(badGateway);
    const { client, clock } = newClient({ fetch });
    const started = clock.now();
    await errorOf(client.send({ ...OPERATIONS.read, inJob: true }, {}));
    expect(clock.now() - started).toBe(30_000);
  });

  it('later requests of the same outage are sent once, until one succeeds', async () => {
    const { fetch, requests } = scriptedFetch(
      ...Array.from({ length: 9 }, () => badGateway),
      success(),
      badGateway,
    );
    const { client, clock } = newClient({ fetch });
    const call = () => client.call(OPERATIONS.read, {});
    await errorOf(call());
    expect(requests).toHaveLength(8);
    await errorOf(call());
    expect(requests).toHaveLength(9);
    await call();
    const again = clock.now();
    await errorOf(call());
    expect([requests.length, clock.now() - again]).toEqual([18, 10_000]);
  });

  it('successes of other requests do not extend the time of a request', async () => {
    let sent = 0;
    const { client, clock } = newClient({
      fetch: async (input, init) => {
        const isOther = (await new Request(input, init).text()).includes('other');
        if (!isOther) sent += 1;
        return isOther ? success() : page(502);
      },
    });
    const started = clock.now();
    const failing = errorOf(client.call(OPERATIONS.read, {}));
    while (clock.now() - started < 10_000) await client.call(OPERATIONS.read, { name: 'other' });
    await failing;
    expect([sent, clock.now() - started]).toEqual([8, 10_000]);
  });

  it('a 503 in the envelope of the service is retried like its other errors', async () => {
    const { end, times } = await run('read', {}, failure('UNAVAILABLE', 503));
    expect([end, times]).toEqual(['unreachable', [0, 250, 750]]);
  });
});
