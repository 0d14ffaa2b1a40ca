import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { failure, mockService, success } from './mock-service.ts';
import { newUser } from './svc.ts';
import { terminal } from './terminal.ts';

const GET = ['webhooks', 'config', 'get'];

/** A service that puts off whatever comes until so many milliseconds after the first request. */
async function limitedService(milliseconds: number, retryAfter: string | undefined) {
  const times: number[] = [];
  const service = await mockService((_, response) => {
    times.push(Date.now());
    if (Date.now() - (times[0] ?? 0) >= milliseconds)
      return success({ useWebhookService: true, webhookServiceConfig: {} });
    if (retryAfter) response.setHeader('retry-after', retryAfter);
    return failure(429, 'RESOURCE_EXHAUSTED', 'Rate limit exceeded. Try again after 1 minute.');
  });
  return { ...service, times };
}

describe('a rate limit', () => {
  it('is waited for by every process of this user, though only one of them met it', async () => {
    const { svc, home } = await newUser();
    const { env, times } = await limitedService(3_000, '3');
    const first = svc(GET, { env });
    const gates = () => readdir(join(home, '.local', 'state', 'svc', 'gates')).catch(() => []);
    await expect.poll(async () => (await gates()).length).toBeGreaterThan(0);
    const others = await Promise.all([svc(GET, { env }), svc(GET, { env }), svc(GET, { env })]);
    const runs = [await first, ...others];
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(times).toHaveLength(5);
    expect(times.slice(1).every((time) => time - (times[0] ?? 0) >= 3_000)).toBe(true);
    expect(runs[0]?.stderr).toMatch(/^waiting [34] s for the service's rate limit …\n$/);
    expect(runs[1]?.stderr).toMatch(
      /^waiting [1-4] s for the service's rate limit, which another svc process met …\n$/,
    );
  });

  it('is 7 at once with --no-wait, and closes the gate for nobody', async () => {
    const { svc, home } = await newUser();
    const { env, times } = await limitedService(60_000, undefined);
    const { code, stdout, stderr } = await svc([...GET, '--no-wait'], { env });
    expect([code, stdout, times.length]).toEqual([7, '', 1]);
    expect(stderr).toContain('(RESOURCE_EXHAUSTED)');
    await expect(readdir(join(home, '.local', 'state', 'svc', 'gates'))).rejects.toThrow('ENOENT');
  });

  it('counts down on a terminal, and leaves nothing there', async () => {
    const { env: user } = await newUser();
    const { env } = await limitedService(3_000, '3');
    const screen = terminal(GET, { ...user, ...env });
    expect(await screen.ended).toBe(0);
    const counts = Array.from(screen.screen().matchAll(/waiting (\d) s for the service/g), ([, seconds]) =>
      Number(seconds),
    );
    // On a busy machine a second may go by unseen.
    expect(new Set(counts).size).toBeGreaterThan(1);
    expect(counts).toEqual(counts.toSorted((a, b) => b - a));
    expect(screen.screen()).not.toMatch(/waiting[^\r]*\n/);
  });

  it('stays as one plain line on a terminal for ACCESSIBLE=1', async () => {
    const { env: user } = await newUser();
    const { env } = await limitedService(1_000, '1');
    const screen = terminal(GET, { ...user, ...env, ACCESSIBLE: '1' });
    expect(await screen.ended).toBe(0);
    expect(screen.screen().match(/waiting/g)).toHaveLength(1);
  });

  it('is left with Ctrl-C at once, which takes the countdown off the screen', async () => {
    const { env: user } = await newUser();
    const { env } = await limitedService(60_000, '50');
    const screen = terminal(GET, { ...user, ...env });
    await screen.shows('waiting 5');
    screen.type('\u0003');
    expect(await screen.ended).toBe(130);
    expect(screen.screen()).toMatch(/svc: stopped with Ctrl-C/);
    expect(screen.screen()).not.toMatch(/…svc:/);
  });
});
