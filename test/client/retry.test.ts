import { describe, expect, it } from 'vitest';
import type { Operation } from '../../src/catalog/define.ts';
import { ServiceError } from '../../src/client/service-error.ts';
import type { SvcError } from '../../src/kernel/errors.ts';
import { SLOW } from '../slow.ts';
import {
  addThings,
  errorOf,
  failure,
  fakeClock,
  json,
  networkError,
  newClient,
  OPERATIONS,
  type Step,
  scriptedFetch,
  success,
} from './client-fixture.ts';

type EffectName = keyof typeof OPERATIONS;

/**
 * Calls an operation with one effect against a scripted service; `end` is `ok` or the failure kind.
 */
async function run(effect: EffectName, ...steps: readonly Step[]) {
  const { fetch, requests } = scriptedFetch(...steps);
  const { client, clock } = newClient({ fetch });
  const { end, retries } = await client.call(OPERATIONS[effect] as Operation, {}).then(
    (reply) => ({ end: 'ok', retries: reply.sent && reply.retries }),
    (error: SvcError) => ({ end: error.failure, retries: error.retries }),
  );
  return { end, sent: requests.length, retries, slept: clock.slept };
}

const unavailable = failure('UNAVAILABLE', 503);
const internal = failure('INTERNAL', 500);
const reset = networkError('ECONNRESET', { syscall: 'read' });
const refused = networkError('ECONNREFUSED', { syscall: 'connect' });

describe('a request that may have been applied', () => {
  it.each<[EffectName, number, string]>([
    ['read', 3, 'unreachable'],
    ['keyed', 3, 'outcome_unknown'],
    ['delete', 3, 'outcome_unknown'],
    ['set', 2, 'outcome_unknown'],
    ['once', 1, 'outcome_unknown'],
  ])('with the effect %s is sent %i times in total', async (effect, sent, end) => {
    expect(await run(effect, unavailable)).toMatchObject({ end, sent, retries: sent - 1 });
    expect(await run(effect, reset)).toMatchObject({ end, sent });
    expect(await run(effect, failure('DEADLINE_EXCEEDED', 504))).toMatchObject({ end, sent });
  });

  it.each<[EffectName, string, number]>([
    ['read', 'ok', 3],
    ['keyed', 'ok', 3],
    ['delete', 'ok', 3],
    ['set', 'outcome_unknown', 2],
    ['once', 'outcome_unknown', 1],
  ])('with the effect %s recovers as far as possible: %s', async (effect, end, sent) => {
    expect(await run(effect, internal, reset, success())).toMatchObject({ end, sent });
  });
});

describe('a request that was never sent', () => {
  it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT'])(
    '%s is tried three times for every effect, and is 8',
    async (code) => {
      for (const effect of Object.keys(OPERATIONS) as EffectName[]) {
        expect(await run(effect, networkError(code))).toMatchObject({
          end: 'unreachable',
          sent: 3,
        });
      }
    },
  );

  it('is detected after several addresses failed', async () => {
    const timedOut = Object.assign(new Error('x'), { code: 'ETIMEDOUT', syscall: 'connect' });
    const all = new TypeError('fetch failed', {
      cause: new AggregateError([refused.cause, timedOut]),
    });
    expect(await run('once', all)).toMatchObject({ end: 'unreachable', sent: 3 });
    const one = new TypeError('fetch failed', {
      cause: new AggregateError([refused.cause, reset.cause]),
    });
    expect(await run('once', one)).toMatchObject({ end: 'outcome_unknown', sent: 1 });
  });

  it('is retried even with the effect once', async () => {
    expect(await run('once', refused, success())).toMatchObject({ end: 'ok', sent: 2 });
    expect(await run('once', refused, reset, success())).toMatchObject({
      end: 'outcome_unknown',
      sent: 2,
    });
  });

  it('does not settle an earlier attempt', async () => {
    expect(await run('keyed', reset, refused)).toMatchObject({ end: 'outcome_unknown' });
    expect(await run('read', reset, refused)).toMatchObject({ end: 'unreachable' });
  });

  it.each(['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID'])(
    '%s is not tried again',
    async (code) => {
      expect(await run('once', networkError(code))).toMatchObject({ end: 'unreachable', sent: 1 });
    },
  );
});

describe('a rejection', () => {
  it.each([
    'INVALID_ARGUMENT',
    'NOT_FOUND',
    'ALREADY_EXISTS',
    'FAILED_PRECONDITION',
    'PERMISSION_DENIED',
    'UNIMPLEMENTED',
  ])('is final with %s', async (status) => {
    for (const effect of Object.keys(OPERATIONS) as EffectName[]) {
      expect((await run(effect, failure(status, 400))).sent).toBe(1);
    }
  });

  it('settles an earlier attempt', async () => {
    expect(await run('keyed', reset, failure('INVALID_ARGUMENT', 400))).toMatchObject({
      end: 'invalid_argument',
      sent: 2,
    });
  });

  it('reports that an earlier attempt may have created the record', async () => {
    const { fetch } = scriptedFetch(reset, failure('ALREADY_EXISTS', 409, 'It exists.'));
    const error = await errorOf(newClient({ fetch }).client.call(OPERATIONS.keyed, {}));
    expect(error).toMatchObject({ failure: 'already_exists', message: 'It exists.' });
    expect(error.hint).toContain('may have created the object');
  });

  it('from a proxy settles nothing', async () => {
    expect(await run('keyed', reset, new Response('<html>', { status: 404 }))).toMatchObject({
      end: 'outcome_unknown',
    });
  });

  it('with ABORTED was not applied, and is retried only if the effect allows', async () => {
    expect(await run('keyed', failure('ABORTED', 409))).toMatchObject({
      end: 'unreachable',
      sent: 3,
    });
    expect(await run('once', failure('ABORTED', 409))).toMatchObject({
      end: 'unreachable',
      sent: 1,
    });
  });
});

describe('delete', () => {
  const notFound = failure('NOT_FOUND', 404);

  it('succeeds if NOT_FOUND follows an attempt with an unknown outcome', async () => {
    expect(await run('delete', reset, notFound)).toMatchObject({ end: 'ok', sent: 2 });
    expect(await run('delete', internal, unavailable, notFound)).toMatchObject({
      end: 'ok',
      sent: 3,
    });
  });

  it('fails if nothing was sent before, or if the 404 is from a proxy', async () => {
    expect(await run('delete', notFound)).toMatchObject({ end: 'not_found' });
    expect(await run('delete', refused, notFound)).toMatchObject({ end: 'not_found' });
    expect(await run('delete', reset, new Response('', { status: 404 }))).toMatchObject({
      end: 'outcome_unknown',
    });
  });

  it('is the only effect that treats NOT_FOUND as success', async () => {
    expect(await run('keyed', reset, notFound)).toMatchObject({ end: 'not_found' });
  });
});

describe('a bulk call that failed with details', () => {
  const details = {
    a: { success: true },
    b: { success: false, code: 'internal', message: 'later' },
  };
  const withDetails = (given: unknown) =>
    json({ error: { status: 'INTERNAL', message: 'some', details: given } }, 500);

  it.each([
    ['a map', details],
    ['an array', Object.values(details)],
  ])('fails without a retry, and keeps %s unchanged', async (_, given) => {
    const { fetch, requests } = scriptedFetch(withDetails(given), success());
    const error = await errorOf(
      newClient({ fetch }).client.call(addThings, { things: [{ id: 'a' }, { id: 'b' }] }),
    );
    expect(requests).toHaveLength(1);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({
      failure: 'outcome_unknown',
      status: 'INTERNAL',
      httpStatus: 500,
      details: given,
    });
  });

  it.each([
    ['null', null],
    ['empty', {}],
    ['an explanation', { reason: 'maintenance', requestId: 'r1' }],
    ['a list of explanations', [{ reason: 'maintenance' }]],
  ])('is retried if details are absent or %s', async (_, given) => {
    expect(await run('keyed', withDetails(given), internal, success())).toMatchObject({
      end: 'ok',
      sent: 3,
    });
  });
});

describe('the time between attempts', () => {
  it('is full jitter with a limit that doubles', async () => {
    const { fetch } = scriptedFetch(unavailable);
    for (const random of [0, 0.25, 0.999]) {
      const { client, clock } = newClient({ fetch, random: () => random });
      await errorOf(client.call(OPERATIONS.read, {}));
      expect(clock.slept).toEqual([random * 500, random * 1000]);
    }
  });

  it('is reported as an event', async () => {
    const { fetch } = scriptedFetch(unavailable, success());
    const { client, events } = newClient({ fetch });
    expect(await client.call(OPERATIONS.read, {})).toMatchObject({ retries: 1 });
    expect(events.map(({ kind }) => kind)).toEqual([
      'request',
      'response',
      'retry',
      'request',
      'response',
    ]);
    expect(events[2]).toEqual({ kind: 'retry', attempt: 1, inMilliseconds: 250, reason: 'no' });
  });

  it('ends at once when the signal aborts', async () => {
    const controller = new AbortController();
    const stopped = new Error('stopped by a test');
    const clock = {
      ...fakeClock(),
      sleep: () => new Promise<void>((_, reject) => reject(controller.signal.reason)),
    };
    const { fetch, requests } = scriptedFetch(unavailable);
    const { client } = newClient({
      fetch,
      clock,
      signal: controller.signal,
      observe: ({ kind }) => kind === 'retry' && controller.abort(stopped),
    });
    await expect(client.call(OPERATIONS.read, {})).rejects.toBe(stopped);
    expect(requests).toHaveLength(1);
  });
});

describe('the retry budget', () => {
  it('is shared by all calls, so that they do not overload a failing service', SLOW, async () => {
    const { fetch, requests } = scriptedFetch(unavailable);
    const { client } = newClient({ fetch });
    const calls = 200;
    for (let call = 0; call < calls; call += 1) await errorOf(client.call(OPERATIONS.read, {}));
    expect(requests).toHaveLength(calls + 100);
  });

  it('is refilled by successes', SLOW, async () => {
    const script: Step[] = [
      ...Array.from({ length: 150 }, () => unavailable),
      ...Array.from({ length: 20 }, () => success()),
    ];
    const { fetch, requests } = scriptedFetch(...script, unavailable);
    const { client } = newClient({ fetch });
    for (let call = 0; call < 50; call += 1) await errorOf(client.call(OPERATIONS.read, {}));
    for (let call = 0; call < 20; call += 1) await client.call(OPERATIONS.read, {});
    expect(requests).toHaveLength(170);
    await errorOf(client.call(OPERATIONS.read, {}));
    expect(requests).toHaveLength(173);
  });
});
