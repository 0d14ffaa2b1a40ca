import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SLOW } from '../slow.ts';
import { newUserInProcess } from './in-process.ts';
import { failure, startMockService, success } from './mock-service.ts';
import { newUser } from './svc.ts';
import { startTerminal } from './terminal.ts';

const GET = ['webhooks', 'config', 'get'];

/**
 * Creates a service that rate-limits all requests for the given milliseconds after the first one.
 */
async function startLimitedService(milliseconds: number, retryAfter: string | undefined) {
  const times: number[] = [];
  const service = await startMockService((_, response) => {
    times.push(Date.now());
    if (Date.now() - (times[0] ?? 0) >= milliseconds)
      return success({ useWebhookService: true, webhookServiceConfig: {} });
    if (retryAfter) response.setHeader('retry-after', retryAfter);
    return failure(429, 'RESOURCE_EXHAUSTED', 'Rate limit exceeded. Try again after 1 minute.');
  });
  return { ...service, times };
}

describe('a rate limit', () => {
  it('pauses every process of this user, even if only one received it', SLOW, async () => {
    const { svc, home } = await newUser();
    const { env, times } = await startLimitedService(3_000, '3');
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
      /^waiting [1-4] s for the service's rate limit, reported by another svc process …\n$/,
    );
  });

  it('results in exit code 7 immediately with --no-wait, and pauses no other process', async () => {
    const { svc, home } = await newUserInProcess();
    const { env, times } = await startLimitedService(60_000, undefined);
    const { code, stdout, stderr } = await svc([...GET, '--no-wait'], { env });
    expect([code, stdout, times.length]).toEqual([7, '', 1]);
    expect(stderr).toContain('(RESOURCE_EXHAUSTED)');
    await expect(readdir(join(home, '.local', 'state', 'svc', 'gates'))).rejects.toThrow('ENOENT');
  });

  it('shows a countdown on a terminal and removes it', SLOW, async () => {
    const { env: user } = await newUser();
    const { env } = await startLimitedService(3_000, '3');
    const screen = startTerminal(GET, { ...user, ...env });
    expect(await screen.ended).toBe(0);
    const counts = Array.from(
      screen.screen().matchAll(/waiting (\d) s for the service/g),
      ([, seconds]) => Number(seconds),
    );
    // A busy machine may skip a second of the countdown.
    expect(new Set(counts).size).toBeGreaterThan(1);
    expect(counts).toEqual(counts.toSorted((a, b) => b - a));
    expect(screen.screen()).not.toMatch(/waiting[^\r]*\n/);
  });

  it('prints one permanent line on a terminal with ACCESSIBLE=1', async () => {
    const { env: user } = await newUser();
    const { env } = await startLimitedService(1_000, '1');
    const screen = startTerminal(GET, { ...user, ...env, ACCESSIBLE: '1' });
    expect(await screen.ended).toBe(0);
    expect(screen.screen().match(/waiting/g)).toHaveLength(1);
  });

  it('is interrupted by Ctrl-C immediately, which removes the countdown', async () => {
    const { env: user } = await newUser();
    const { env } = await startLimitedService(60_000, '50');
    const screen = startTerminal(GET, { ...user, ...env });
    await screen.shows('waiting 5');
    screen.type('\u0003');
    expect(await screen.ended).toBe(130);
    expect(screen.screen()).toMatch(/svc: stopped by Ctrl-C/);
    expect(screen.screen()).not.toMatch(/…svc:/);
  });
});
