import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SLOW } from '../slow.ts';
import { ndjsonUsers } from './bulk-service.ts';
import { newUserInProcess } from './in-process.ts';
import { type ResponseHandler, startMockService, success } from './mock-service.ts';

/** Statuses with which gateways, firewalls, and load balancers respond in place of a service. */
const PAGES = [302, 303, 401, 403, 404, 413, 429, 500, 502, 503, 504];

/** A user with a service that applies each write, while a gateway responds with a page. */
async function behindGateway(httpStatus: () => number | undefined) {
  const written = new Set<string>();
  const answer: ResponseHandler = ({ body }, response) => {
    const users = (body.data['users'] ?? []) as readonly { readonly userId: string }[];
    for (const { userId } of users) written.add(userId);
    const status = httpStatus();
    if (status === undefined)
      return success(Object.fromEntries(users.map(({ userId }) => [userId, { success: true }])));
    response.writeHead(status, {
      'content-type': 'text/html',
      ...(status < 400 && { location: 'https://login.example.test/' }),
    });
    response.end('<!doctype html><h1>Sorry</h1>');
    return undefined;
  };
  const service = await startMockService(answer);
  const user = await newUserInProcess();
  await writeFile(join(user.home, 'users.ndjson'), ndjsonUsers(3));
  const svc = (...words: readonly string[]) =>
    user.svc([...words, '--retry-for', '0s'], { env: service.env });
  return { written, svc };
}

describe.each(PAGES)('a page with HTTP %i in place of a response', (httpStatus) => {
  it('leaves the outcome of a job unknown, and the job can be resumed', async () => {
    let isDown = true;
    const { written, svc } = await behindGateway(() => (isDown ? httpStatus : undefined));
    const add = ['users', 'add', '--org', 'acme', '--file', 'users.ndjson', '--no-wait'];
    const { code, stdout } = await svc(...add, '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({
      total: 3,
      succeeded: 0,
      failed: 0,
      unknown: 3,
      skipped: 0,
    });
    expect([code, written.size]).toEqual([9, 3]);
    isDown = false;
    const resumed = await svc('jobs', 'resume', '-o', 'json');
    expect([resumed.code, JSON.parse(resumed.stdout)]).toMatchObject([0, { succeeded: 3 }]);
  });

  it('leaves the outcome of a single write unknown', SLOW, async () => {
    const { svc } = await behindGateway(() => httpStatus);
    for (const words of [
      ['users', 'add', '--org', 'acme', '--user', 'u1'],
      ['webhooks', 'endpoints', 'create', '--url', 'https://example.com/hook'],
      ['presence', 'delete', '--org', 'acme', '--document', 'd1', '--user', 'u1', '--yes'],
      ['webhooks', 'advanced', 'update', '--enable'],
    ]) {
      const { code, stderr } = await svc(...words, '--no-wait');
      expect([words, code, stderr]).toEqual([words, 9, expect.any(String)]);
    }
  });

  it('keeps the exit code of a read', async () => {
    const { svc } = await behindGateway(() => httpStatus);
    const { code } = await svc('documents', 'list', '--org', 'acme', '--no-wait');
    const expected = { 401: 4, 403: 4, 429: 7 }[httpStatus] ?? 8;
    expect(code).toBe(expected);
  });
});
