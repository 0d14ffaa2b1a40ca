import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { listen } from '../client/proxies.ts';
import { newUser } from './svc.ts';
import { terminal } from './terminal.ts';

const credentials = (baseUrl: string) => ({ SVC_BASE_URL: baseUrl, SVC_API_KEY: 'k', SVC_AUTH_TOKEN: 'token-of-k' });

describe('svc doctor', () => {
  it('is 0 for the embedded service, and writes nothing but it', async () => {
    const { svc } = await newUser();
    const { code, stdout, stderr } = await svc(['doctor', '--local', '-o', 'json']);
    expect([code, stderr]).toEqual([0, '']);
    for (const finding of JSON.parse(stdout)) {
      expect(finding).toMatchObject({ name: expect.any(String), detail: expect.any(String) });
      expect(['ok', 'warn', 'skipped']).toContain(finding.state);
    }
  });

  it('ends as the first check that failed', async () => {
    const { svc } = await newUser();
    expect((await svc(['doctor'])).code).toBe(4);
    const { code, stdout } = await svc(['doctor', '-o', 'json'], { env: credentials('http://127.0.0.1:9') });
    expect(code).toBe(8);
    const states = JSON.parse(stdout).map(({ name, state }: { name: string; state: string }) => [name, state]);
    expect(new Map(states).get('connection')).toBe('fail');
  });

  it('is stopped by Ctrl-C while a service that never answers is waited for', async () => {
    const { env } = await newUser();
    const { promise: reached, resolve } = Promise.withResolvers<void>();
    let connections = 0;
    const server = createServer(() => {
      connections += 1;
      if (connections === 2) resolve(); // after the one that only looks whether it opens
    });
    const screen = terminal(['doctor'], { ...env, ...credentials(`http://${await listen(server)}`) });
    await reached;
    screen.type('\u0003');
    expect(await screen.ended, screen.screen()).toBe(130);
  });
});
