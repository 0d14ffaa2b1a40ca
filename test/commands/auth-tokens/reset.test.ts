import { describe, expect, it } from 'vitest';
import { manifest } from '../../../src/catalog/manifest.ts';
import { heldSignal } from '../../../src/commands/auth-tokens/held-signal.ts';
import { resetAuthToken } from '../../../src/commands/auth-tokens/reset.ts';
import { pendingRecoveries } from '../../../src/profiles/recovery/pending.ts';
import { brokenOff, type ResetFault, tokenService, wellAnswered } from '../../acceptance/token-service.ts';
import { errorOf, fakeClock } from '../../client/world.ts';
import { fakeContext } from '../fake-context.ts';

const refused: ResetFault = (_, response) => {
  response.writeHead(403, { 'content-type': 'application/json' });
  response.end('{"error":{"status":"PERMISSION_DENIED","message":"Not any more."}}');
};

const entry = manifest.find(({ name }) => name === 'auth-tokens.reset');

/** Resets with the product's own code over a real connection; only time is not real. */
async function reset(
  service: Awaited<ReturnType<typeof tokenService>>,
  { ensure = false, environment = {} }: { ensure?: boolean; environment?: Record<string, string> } = {},
) {
  const clock = fakeClock();
  const fake = await fakeContext({
    environment: { ...service.env, ...environment },
    options: { quiet: true, yes: true },
  });
  const context = { ...fake, clock };
  if (!entry) throw new Error('the catalog has no reset');
  const done = resetAuthToken(context, [entry], { arguments: [], options: { apiKey: 'key-1', ensure } });
  return { done, context, clock, stdout: fake.stdout, left: () => pendingRecoveries(context.folders) };
}

describe('--ensure', () => {
  it('stops after five resets, and says that the token is lost', async () => {
    const service = await tokenService(brokenOff(true));
    const { done, left } = await reset(service, { ensure: true });
    expect(await errorOf(done)).toMatchObject({ failure: 'outcome_unknown', exitCode: 9 });
    expect(service.resets()).toBe(5);
    expect((await left()).map(({ record }) => record?.state)).toEqual(['lost']);
  });

  it('does not take a refusal for an end where an earlier reset may have been applied', async () => {
    const service = await tokenService(brokenOff(true), refused);
    const { done } = await reset(service, { ensure: true, environment: { SVC_AUTH_TOKEN: '' } });
    expect(await errorOf(done)).toMatchObject({
      exitCode: 9,
      message: expect.stringContaining('may have been replaced'),
    });
  });

  it('hands on the refusal where the old token has outlived every reset before', async () => {
    const service = await tokenService(brokenOff(false), refused);
    const { done, left } = await reset(service, { ensure: true });
    expect(await errorOf(done)).toMatchObject({ failure: 'permission_denied' });
    expect(await left()).toEqual([]);
  });

  it('goes on where nothing was applied', async () => {
    const service = await tokenService(brokenOff(false), brokenOff(false), wellAnswered);
    const { done, stdout } = await reset(service, { ensure: true });
    await done;
    expect(stdout()).toBe(`${service.current()}\n`);
  });
});

describe('a look at the old token', () => {
  it('is repeated for five seconds before it counts as alive', async () => {
    const service = await tokenService(brokenOff(false));
    const { done, clock } = await reset(service);
    expect(await errorOf(done)).toMatchObject({ failure: 'unreachable', exitCode: 8 });
    expect(clock.slept.reduce((sum, slept) => sum + slept, 0)).toBe(5_000);
    expect(service.received).toHaveLength(5);
  });

  it('never sends a token to a key that it is not known to belong to', async () => {
    const service = await tokenService(brokenOff(false));
    const { done } = await reset(service, { environment: { SVC_API_KEY: 'another-key' } });
    expect(await errorOf(done)).toMatchObject({ exitCode: 9 });
    expect(service.received).toHaveLength(1);
  });
});

describe('a held signal', () => {
  it('aborts with the other one, but not while something is waited for', async () => {
    const other = new AbortController();
    const held = heldSignal(other.signal);
    const told: string[] = [];
    await held.hold(
      async () => other.abort(new Error('stop')),
      () => told.push('told'),
    );
    expect(told).toEqual(['told']);
    expect(held.signal.aborted).toBe(false);
  });

  it('starts nothing once it has aborted', async () => {
    const other = new AbortController();
    const held = heldSignal(other.signal);
    other.abort(new Error('stop'));
    await expect(
      held.hold(
        async () => 'done',
        () => undefined,
      ),
    ).rejects.toThrow('stop');
    expect(heldSignal(other.signal).signal.aborted).toBe(true);
  });
});
