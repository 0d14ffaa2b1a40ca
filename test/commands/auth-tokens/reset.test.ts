import { describe, expect, it } from 'vitest';
import { manifest } from '../../../src/catalog/manifest.ts';
import { resetAuthToken } from '../../../src/commands/auth-tokens/reset.ts';
import { createDeferrableSignal } from '../../../src/commands/auth-tokens/reset-token.ts';
import { listPendingRecoveries } from '../../../src/profiles/recovery.ts';
import {
  buildResetResponse,
  closeConnection,
  type ResetFault,
  respondNormally,
  startTokenService,
} from '../../acceptance/token-service.ts';
import { errorOf, fakeClock } from '../../client/client-fixture.ts';
import { SLOW } from '../../slow.ts';
import { fakeContext } from '../fake-context.ts';

const refused: ResetFault = (_, response) => {
  response.writeHead(403, { 'content-type': 'application/json' });
  response.end('{"error":{"status":"PERMISSION_DENIED","message":"Not any more."}}');
};

const entry = manifest.find(({ name }) => name === 'auth-tokens.reset');

/** Resets with the product's own code over a real connection; only time is not real. */
async function reset(
  service: Awaited<ReturnType<typeof startTokenService>>,
  {
    ensure = false,
    environment = {},
  }: { ensure?: boolean; environment?: Record<string, string> } = {},
) {
  const clock = fakeClock();
  const fake = await fakeContext({
    environment: { ...service.env, ...environment },
    options: { quiet: true, yes: true },
  });
  const context = { ...fake, clock };
  if (!entry) throw new Error('the catalog has no reset');
  const options = { apiKey: 'key-1', ...(ensure && { ensure }) };
  const done = resetAuthToken(context, [entry], { arguments: [], options });
  return {
    done,
    context,
    clock,
    stdout: fake.stdout,
    left: () => listPendingRecoveries(context.folders),
  };
}

describe('--ensure', () => {
  it('stops after five resets, and reports that the token is lost', async () => {
    const service = await startTokenService(closeConnection(true));
    const { done, left } = await reset(service, { ensure: true });
    expect(await errorOf(done)).toMatchObject({ failure: 'outcome_unknown', exitCode: 9 });
    expect(service.resets()).toBe(5);
    expect((await left()).map(({ record }) => record?.state)).toEqual(['lost']);
  });

  it('does not stop on an error response if an earlier reset may have been applied', async () => {
    const service = await startTokenService(closeConnection(true), refused);
    const { done } = await reset(service, { ensure: true, environment: { SVC_AUTH_TOKEN: '' } });
    expect(await errorOf(done)).toMatchObject({
      exitCode: 9,
      message: expect.stringContaining('may have been replaced'),
    });
  });

  it('reports the error response if the old token survived every reset', async () => {
    const service = await startTokenService(closeConnection(false), refused);
    const { done, left } = await reset(service, { ensure: true });
    expect(await errorOf(done)).toMatchObject({ failure: 'permission_denied' });
    expect(await left()).toEqual([]);
  });

  it('retries if the reset was not applied', async () => {
    const service = await startTokenService(
      closeConnection(false),
      closeConnection(false),
      respondNormally,
    );
    const { done, stdout } = await reset(service, { ensure: true });
    await done;
    expect(stdout()).toBe(`${service.current()}\n`);
  });
});

describe('a probe of the old token', () => {
  it('is repeated for five seconds before it counts as alive', async () => {
    const service = await startTokenService(closeConnection(false));
    const { done, clock } = await reset(service);
    expect(await errorOf(done)).toMatchObject({ failure: 'unreachable', exitCode: 8 });
    expect(clock.slept.reduce((sum, slept) => sum + slept, 0)).toBe(5_000);
    expect(service.received).toHaveLength(5);
  });

  it('never sends a token to a key that it is not known to belong to', async () => {
    const service = await startTokenService(closeConnection(false));
    const { done } = await reset(service, { environment: { SVC_API_KEY: 'another-key' } });
    expect(await errorOf(done)).toMatchObject({ exitCode: 9 });
    expect(service.received).toHaveLength(1);
  });
});

const STATUSES = [
  200, 201, 202, 302, 303, 307, 400, 401, 403, 404, 405, 408, 409, 413, 429, 500, 502, 503, 504,
];

const WITHOUT_STATUS = 'JSON with an error without a status';

/** Bodies that are not the service's envelope, with their content types. */
const FOREIGN_BODIES = {
  empty: ['text/plain', ''],
  HTML: ['text/html', '<h1>Sign in</h1>'],
  'JSON with a message': ['application/json', '{"message":"Forbidden"}'],
  'JSON with a text as its error': ['application/json', '{"error":"forbidden"}'],
  // With HTTP 4xx, an error of the service.
  [WITHOUT_STATUS]: ['application/json', '{"error":{"code":403,"message":"Forbidden"}}'],
  'JSON with an unknown status': [
    'application/json',
    '{"error":{"status":"BLOCKED","message":"Forbidden"}}',
  ],
  'JSON with a result that failed': [
    'application/json',
    '{"result":{"status":"error","message":"Forbidden"}}',
  ],
} as const;

/** Answers with a status and a body, whether or not the token was replaced. */
const respond =
  (applied: boolean, status: number, [type, body]: readonly [string, string]): ResetFault =>
  (apply, response) => {
    if (applied) apply();
    response.writeHead(status, { 'content-type': type, location: 'https://login.example.com/' });
    response.end(body);
  };

async function resetWith(fault: ResetFault, environment = {}) {
  const service = await startTokenService(fault);
  const { done, left } = await reset(service, { environment });
  const error = await errorOf(done);
  expect(service.resets()).toBe(1);
  return { error, states: (await left()).map(({ record }) => record?.state) };
}

describe.each(STATUSES.entries().toArray())(
  'response %i, with HTTP %i and without the envelope of the service',
  (at, status) => {
    // Each status has two or three of the bodies, and each body has a third of the statuses.
    const bodies = Object.entries(FOREIGN_BODIES).filter(
      ([name], index) =>
        (at + index) % 3 === 0 && !(name === WITHOUT_STATUS && status >= 400 && status < 500),
    );
    it.each(bodies)(
      'keeps the record unless the old token still works: %s',
      SLOW,
      async (_, body) => {
        const applied = await resetWith(respond(true, status, body));
        expect(applied).toMatchObject({ error: { exitCode: 9 }, states: ['lost'] });
        expect(applied.error.message).toContain('was replaced, but the new token is lost');
        for (const isApplied of [true, false]) {
          const unknown = await resetWith(respond(isApplied, status, body), { SVC_AUTH_TOKEN: '' });
          expect(unknown).toMatchObject({ error: { exitCode: 9 }, states: ['unknown'] });
        }
        const notApplied = await resetWith(respond(false, status, body));
        expect(notApplied.states).toEqual([]);
        expect(notApplied.error.message).toContain(
          'the auth token of API key key-1 was not changed: ',
        );
        expect([3, 4, 5, 7, 8]).toContain(notApplied.error.exitCode);
      },
    );
  },
);

describe('an envelope of the service', () => {
  const envelope = (status: string) =>
    ['application/json', JSON.stringify({ error: { status, message: 'Not now.' } })] as const;

  it.each([
    { status: 400, word: 'INVALID_ARGUMENT', failure: 'invalid_argument' },
    { status: 401, word: 'UNAUTHENTICATED', failure: 'unauthenticated' },
    { status: 403, word: 'PERMISSION_DENIED', failure: 'permission_denied' },
    { status: 404, word: 'NOT_FOUND', failure: 'not_found' },
    { status: 429, word: 'RESOURCE_EXHAUSTED', failure: 'resource_exhausted' },
  ])('is trusted as an error: $word', async ({ status, word, failure }) => {
    const refusal = await resetWith(respond(false, status, envelope(word)), { SVC_AUTH_TOKEN: '' });
    expect(refusal).toMatchObject({ error: { failure, message: 'Not now.' }, states: [] });
  });

  it('is trusted as an error without a status', async () => {
    const fault = respond(false, 403, FOREIGN_BODIES[WITHOUT_STATUS]);
    expect(await resetWith(fault, { SVC_AUTH_TOKEN: '' })).toMatchObject({
      error: { failure: 'permission_denied', message: 'Forbidden [code 403]' },
      states: [],
    });
  });

  it.each([
    { status: 302, word: 'NOT_FOUND' },
    { status: 500, word: 'INTERNAL' },
    { status: 503, word: 'UNAVAILABLE' },
    { status: 504, word: 'DEADLINE_EXCEEDED' },
  ])('proves nothing with HTTP $status: $word', async ({ status, word }) => {
    expect(await resetWith(respond(true, status, envelope(word)))).toMatchObject({
      error: { exitCode: 9 },
      states: ['lost'],
    });
    expect((await resetWith(respond(false, status, envelope(word)))).states).toEqual([]);
  });

  it('with a new token is rejected for another API key', async () => {
    const fault: ResetFault = (apply, response) => {
      const text = JSON.stringify(buildResetResponse(apply())).replace('key-1', 'key-2');
      response.writeHead(200, { 'content-type': 'application/json' }).end(text);
    };
    const { error, states } = await resetWith(fault);
    expect(error).toMatchObject({
      exitCode: 9,
      message: expect.stringContaining('the response is for another API key, key-2'),
    });
    expect(states).toEqual(['lost']);
  });
});

describe('a gateway that also rejects the probe of the old token', () => {
  it('leaves the outcome unknown', async () => {
    const service = await startTokenService((apply, response) => {
      service.refuseReads();
      respond(false, 401, FOREIGN_BODIES.HTML)(apply, response);
    });
    const { done, left } = await reset(service);
    expect(await errorOf(done)).toMatchObject({ exitCode: 9 });
    expect((await left()).map(({ record }) => record?.state)).toEqual(['unknown']);
  });
});

describe('a deferrable signal', () => {
  it('aborts with the other signal, except during defer', async () => {
    const other = new AbortController();
    const held = createDeferrableSignal(other.signal);
    const told: string[] = [];
    await held.defer(
      async () => other.abort(new Error('stop')),
      () => told.push('told'),
    );
    expect(told).toEqual(['told']);
    expect(held.signal.aborted).toBe(false);
  });

  it('runs nothing after it has aborted', async () => {
    const other = new AbortController();
    const held = createDeferrableSignal(other.signal);
    other.abort(new Error('stop'));
    await expect(
      held.defer(
        async () => 'done',
        () => undefined,
      ),
    ).rejects.toThrow('stop');
    expect(createDeferrableSignal(other.signal).signal.aborted).toBe(true);
  });
});
