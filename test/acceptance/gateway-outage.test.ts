import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SLOW } from '../slow.ts';
import { ndjsonUsers } from './bulk-service.ts';
import { findFreePort, hasHaproxy, startHaproxy } from './gateways.ts';
import { newUserInProcess } from './in-process.ts';
import { startMockService, success } from './mock-service.ts';

/** Puts HAProxy in front of a service that does not run yet. */
async function createUserBehindDeadUpstream() {
  const [port, upstream] = [await findFreePort(), await findFreePort()];
  await startHaproxy(
    port,
    `frontend f
  bind 127.0.0.1:${port}
  default_backend b
backend b
  server s 127.0.0.1:${upstream}`,
  );
  const user = await newUserInProcess();
  await writeFile(join(user.home, 'users.ndjson'), ndjsonUsers(6));
  const env = {
    SVC_BASE_URL: `http://127.0.0.1:${port}`,
    SVC_API_KEY: 'key-1',
    SVC_AUTH_TOKEN: 'token-of-the-key-0001',
  };
  const startUpstream = () =>
    startMockService(({ body }) => {
      const users = (body.data['users'] ?? []) as readonly { userId: string }[];
      return success(Object.fromEntries(users.map(({ userId }) => [userId, { success: true }])));
    }, upstream);
  const svc = (...words: readonly string[]) => user.svc(words, { env });
  return { svc, startUpstream, host: `127.0.0.1:${port}`, upstream };
}

/** Closes each connection to a port at once, until the given number of them has arrived. */
async function failConnections(port: number, count: number): Promise<void> {
  const server = createServer((socket) => {
    socket.destroy();
    left -= 1;
    if (left === 0) server.close();
  });
  let left = count;
  await once(server.listen(port, '127.0.0.1'), 'close');
}

const ADD = ['users', 'add', '--org', 'acme', '--file', 'users.ndjson', '-o', 'json'];
const CREATE = ['webhooks', 'endpoints', 'create', '--url', 'https://example.com/hook'];

describe.skipIf(!hasHaproxy)('a dead service behind HAProxy (skipped without it)', () => {
  it('that comes up again does not fail a job or a command', async () => {
    const { svc, startUpstream, upstream } = await createUserBehindDeadUpstream();
    const failed = failConnections(upstream, 3);
    const job = svc(...ADD, '--batch-size', '2', '--concurrency', '2');
    const single = svc('users', 'add', '--org', 'acme', '--user', 'ada');
    await failed;
    const { received } = await startUpstream();
    const added = await job;
    expect([added.code, JSON.parse(added.stdout)]).toEqual([
      0,
      expect.objectContaining({ succeeded: 6, unknown: 0 }),
    ]);
    expect((await single).code).toBe(0);
    expect(received).toHaveLength(4);
  });

  it('is named with its proxy, and the base URL is not blamed', async () => {
    const { svc, host } = await createUserBehindDeadUpstream();
    const { code, stderr } = await svc('agents', 'list', '--retry-for', '0s', '-o', 'json');
    expect([code, JSON.parse(stderr).error]).toEqual([
      8,
      expect.objectContaining({
        message: `the proxy at ${host} did not reach the service (HTTP 503)`,
        hint: 'try again when the service is up, or retry for longer with --retry-for',
        retryable: true,
      }),
    ]);
  });

  it('ends a write that must not be repeated with 9', SLOW, async () => {
    const { svc, startUpstream } = await createUserBehindDeadUpstream();
    expect((await svc(...CREATE)).code).toBe(9);
    const { received } = await startUpstream();
    await sleep(600);
    expect(received).toEqual([]);
  });

  it('ends a job after the given time, and the job can be resumed', async () => {
    const { svc, startUpstream } = await createUserBehindDeadUpstream();
    const { code, stdout } = await svc(...ADD, '--retry-for', '300ms');
    expect([code, JSON.parse(stdout)]).toMatchObject([9, { unknown: 6, succeeded: 0 }]);
    await startUpstream();
    const resumed = await svc('jobs', 'resume', '-o', 'json');
    expect([resumed.code, JSON.parse(resumed.stdout)]).toMatchObject([0, { succeeded: 6 }]);
  });
});
