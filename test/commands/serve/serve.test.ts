import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RequestRecord } from '../../../src/catalog/local/answers.ts';
import type { LoggedAttempt } from '../../../src/catalog/local/delivery.ts';
import { createLiveLog } from '../../../src/commands/serve/live-log.ts';
import { formatWelcome, serveCommand } from '../../../src/commands/serve/serve.ts';
import { SvcError } from '../../../src/kernel/errors.ts';
import { processId } from '../../../src/kernel/process.ts';
import { openEmbedded } from '../../../src/service/embedded.ts';
import { addFault } from '../../../src/service/local/faults/fault-control.ts';
import { resolveStoreLocation } from '../../../src/service/store/location.ts';
import { eventually } from '../../eventually.ts';
import { createUserFolders } from '../../temporary-folder.ts';
import { type FakeContext, type FakeContextOptions, fakeContext } from '../fake-context.ts';

/** A serving command, and what ends it. */
async function serving(
  world: FakeContextOptions,
  options: Record<string, string | boolean> = { port: '0' },
) {
  const controller = new AbortController();
  const context = { ...(await fakeContext(world)), signal: controller.signal };
  const run = serveCommand(context, { arguments: [], options });
  const end = async (failure: 'terminated' | 'interrupted') => {
    controller.abort(new SvcError(failure, failure));
    await run;
  };
  onTestFinished(() => end('terminated').catch(() => undefined));
  await Promise.race([run, eventually(() => expect(context.stdout()).toContain('\n'))]);
  return { context, end };
}

/** Calls the serving command with its own credentials. Returns the HTTP status. */
async function call(
  { stdout }: FakeContext,
  path: string,
  data: object,
  authToken?: string,
): Promise<number> {
  const [first = ''] = stdout().split('\n');
  const variable = (name: string) => new RegExp(`export ${name}=(.*)`).exec(stdout())?.[1] ?? '';
  const { url, ...key } = first.startsWith('{')
    ? JSON.parse(first)
    : {
        url: variable('SVC_BASE_URL'),
        apiKey: variable('SVC_API_KEY'),
        authToken: variable('SVC_AUTH_TOKEN'),
      };
  const { status } = await fetch(url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-svc-api-key': key.apiKey,
      'x-svc-auth-token': authToken ?? key.authToken,
    },
    body: JSON.stringify({ data }),
  });
  return status;
}

const TWO_USERS = { organizationId: 'acme', users: [{ userId: 'u1' }, { userId: 'u2' }] };

describe('svc serve', () => {
  it.each(['json', 'ndjson'] as const)(
    '-o %s prints one line that is all one needs to call it',
    async (output) => {
      const { context } = await serving({ options: { output } });
      expect(context.stdout()).toMatch(/^[^\n]+\n$/);
      const { url, ...credentials } = JSON.parse(context.stdout());
      expect(Object.keys(credentials)).toEqual([
        'apiKey',
        'authToken',
        'workspaceId',
        'workspaceAuthToken',
        'admin',
      ]);
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      expect(
        await call(context, '/v1/users/add', { organizationId: 'acme', users: [{ userId: 'u1' }] }),
      ).toBe(200);
    },
  );

  it('prints the variables to export', async () => {
    const { context } = await serving({});
    expect(context.stdout()).toMatch(
      /^Serving on http:\/\/127\.0\.0\.1:\d+\. In another terminal:\n/,
    );
    expect(context.stdout()).toMatch(/^ {2}export SVC_AUTH_TOKEN=[\w-]{32}$/m);
    expect(context.stdout()).toMatch(
      /^Admin token for http:\/\/127\.0\.0\.1:\d+\/_svc\/: [\w-]{32}$/m,
    );
  });

  it('prints PowerShell assignments on Windows', () => {
    const [apiKey, authToken, workspaceId, workspaceAuthToken] = ['k', '-a_', 'w', 't'];
    const text = formatWelcome(
      { url: 'http://127.0.0.1:1', admin: 'a-token', ui: undefined },
      { apiKey, authToken, workspaceId, workspaceAuthToken },
      'win32',
    );
    expect(text).toMatch(/^Serving on http:\/\/127\.0\.0\.1:1\. In another PowerShell:\n/);
    expect(text).toContain("\n  $env:SVC_AUTH_TOKEN = '-a_'\n");
  });

  it('exits with 0 on SIGTERM, and as interrupted on Ctrl-C', async () => {
    const first = await serving({ options: { output: 'json' } });
    await first.end('terminated');
    await expect(fetch(JSON.parse(first.context.stdout()).url)).rejects.toThrow();
    const second = await serving({ options: { output: 'json' } });
    await expect(second.end('interrupted')).rejects.toMatchObject({ failure: 'interrupted' });
  });

  it('allows one server and any number of local commands per store', async () => {
    const folders = await createUserFolders();
    const store = join(folders.data, 'service.sqlite');
    const { context, end } = await serving({ folders, options: { output: 'json' } });
    await expect(serving({ folders })).rejects.toMatchObject({
      failure: 'locked',
      message: `process ${processId} is already serving ${store}`,
    });
    await expect(serving({ options: { store: `sqlite:${store}` } })).rejects.toMatchObject({
      failure: 'locked',
    });
    const local = await openEmbedded(await resolveStoreLocation(undefined, folders), {
      clock: context.clock,
    });
    expect(local.target.key.apiKey).toBe(JSON.parse(context.stdout()).apiKey);
    await local.close();
    await end('terminated');
    await (await serving({ folders })).end('terminated');
  });

  it.each(['x', '-1', '65536', '1e3', ''])("--port '%s' is refused", async (port) => {
    await expect(serving({}, { port })).rejects.toMatchObject({ failure: 'usage' });
  });
});

describe('the options of svc serve', () => {
  async function called(options: Record<string, string | boolean>, path: string) {
    const { context } = await serving({ options: { output: 'json' } }, { port: '0', ...options });
    const { url, apiKey, authToken } = JSON.parse(context.stdout());
    const call = async (data: object) => {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-svc-api-key': apiKey,
          'x-svc-auth-token': authToken,
        },
        body: JSON.stringify({ data }),
      });
      return [response.status, JSON.parse(await response.text()).error?.status] as const;
    };
    return call;
  }
  const LIST = '/v2/organizations/documents/get';

  it('--without disables features', async () => {
    const list = await called({ without: 'advanced-webhooks,advanced-queries' }, LIST);
    expect(await list({ organizationId: 'acme' })).toEqual([400, 'FAILED_PRECONDITION']);
  });

  it('--rate-limit limits calls', async () => {
    const list = await called({ rateLimit: '2/1m' }, LIST);
    const answers = [];
    for (let n = 0; n < 3; n++) answers.push((await list({ organizationId: 'acme' }))[1]);
    expect(answers).toEqual([undefined, undefined, 'RESOURCE_EXHAUSTED']);
  });

  it('--strict fails calls with missing documents', async () => {
    const data = { organizationId: 'acme', documents: [{ documentId: 'd1' }] };
    const add = await called({ strict: true }, '/v1/organizations/documents/add');
    expect([await add(data), await add(data)]).toEqual([
      [200, undefined],
      [500, 'INTERNAL'],
    ]);
  });

  it.each([
    { without: 'advanced-webhook' },
    { without: '' },
    { rateLimit: '60' },
    { rateLimit: '0/1m' },
    { rateLimit: '60/1' },
    { rateLimit: '1.5/1m' },
    { rateLimit: '5/0s' },
  ])('rejects %j', async (options) => {
    await expect(serving({}, { port: '0', ...options })).rejects.toMatchObject({
      failure: 'usage',
    });
  });
});

describe('the request log of svc serve', () => {
  it('is NDJSON on stdout with -o ndjson, and does not contain health checks', async () => {
    const { context } = await serving({ options: { output: 'ndjson' } });
    await call(context, '/v1/users/add', TWO_USERS);
    await call(context, '/v2/organizations/documents/get', { organizationId: 'nowhere' });
    await call(context, '/v1/users/add', TWO_USERS, 'a-wrong-token');
    await call(context, '/v9/nothing?token=a-wrong-token', {});
    const [ready = '{}', ...lines] = context.stdout().trim().split('\n');
    await fetch(`${JSON.parse(ready).url}/healthz`);
    expect(context.stdout().trim().split('\n').length).toBe(5);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        method: 'POST',
        path: '/v1/users/add',
        operation: 'users.add',
        status: 200,
        error: null,
        milliseconds: expect.any(Number),
        records: 2,
        failed: 0,
        id: 1,
        ms: expect.any(Number),
        org: 'acme',
        fault: null,
      },
      expect.objectContaining({ operation: 'documents.list', status: 200, records: 0 }),
      expect.objectContaining({
        operation: 'users.add',
        status: 401,
        error: 'UNAUTHENTICATED',
        records: null,
      }),
      expect.objectContaining({
        operation: null,
        path: '/v9/nothing',
        status: 404,
        error: 'NOT_FOUND',
      }),
    ]);
    expect(context.stdout()).not.toContain('a-wrong-token');
  });

  it('is on stderr of a terminal, and counts failed records', async () => {
    const { context } = await serving({ answers: [], options: { color: 'never' } });
    await call(context, '/v1/users/add', TWO_USERS);
    const document = { organizationId: 'acme', documents: [{ documentId: 'd1' }] };
    await call(context, '/v1/organizations/documents/add', document);
    await call(context, '/v1/organizations/documents/add', document);
    await call(context, '/\u001b[31m', {});
    const lines = context.stderr().trim().split('\n');
    expect(lines).toEqual([
      expect.stringMatching(
        /^\d\d:\d\d:\d\d {2}POST {2}users add {17}200 {2}[ .\d]{3} ms {2}2 records$/,
      ),
      expect.stringMatching(/POST {2}documents add {13}200 .* 1 record$/),
      expect.stringMatching(/POST {2}documents add {13}200 .* 1 record, 1 failed$/),
      expect.stringMatching(/POST {2}\/%1B\[31m {18}404 NOT_FOUND/),
    ]);
  });

  it('names faults', async () => {
    const { context } = await serving({ answers: [], options: { color: 'never' } });
    const store = await resolveStoreLocation(undefined, context.folders);
    const service = await openEmbedded(store, { clock: context.clock });
    onTestFinished(service.close);
    await addFault(service.development.development, {
      name: 'busy',
      on: 'users.add',
      status: 'UNAVAILABLE',
    });
    expect(await call(context, '/v1/users/add', TWO_USERS)).toBe(503);
    expect(context.stderr()).toMatch(/users add .* 503 UNAVAILABLE .* fault busy\n$/);
  });

  it.each([
    { options: { quiet: true }, answers: [] },
    { options: { output: 'json' as const }, answers: [] },
    { options: { quiet: true, output: 'ndjson' as const } },
    { options: {} },
  ])('is off with $options', async (world) => {
    const { context } = await serving(world);
    const before = context.stdout();
    expect(await call(context, '/v1/users/add', TWO_USERS)).toBe(200);
    expect([context.stdout(), context.stderr()]).toEqual([before, '']);
  });

  it('drops lines for a reader that does not read, and counts them', async () => {
    const context = await fakeContext({ options: { output: 'ndjson' } });
    const written: string[] = [];
    let read = () => {};
    const write = (text: string | Uint8Array) => {
      written.push(String(text));
      return new Promise<void>((resolve) => {
        read = resolve;
      });
    };
    const stdout = { ...context.io.stdout, write };
    const log = await createLiveLog({ ...context, io: { ...context.io, stdout } });
    const handled: RequestRecord = {
      id: 1,
      time: '2027-01-01T00:00:00Z',
      method: 'POST',
      path: '/',
      operation: null,
      org: null,
      status: 404,
      error: 'NOT_FOUND',
      ms: 1,
      records: null,
      failed: 0,
      fault: null,
    };
    log?.onRequest({ ...handled, path: `/${'x'.repeat(999_000)}` });
    for (let line = 0; line < 10; line++)
      log?.onRequest({ ...handled, path: `/${'y'.repeat(999)}` });
    expect(written.length).toBe(1);
    read();
    await eventually(() => {
      log?.onRequest({ ...handled, path: '/z' });
      expect(written.length).toBeGreaterThan(1);
    });
    expect(JSON.parse(written[1] ?? '').dropped).toBeGreaterThanOrEqual(10);
  });

  it('contains the attempts of deliveries', async () => {
    const attempt: LoggedAttempt = {
      id: 'msg_1',
      event: 'comment.add',
      endpointId: 'ep_2cV6ZkXyQ0b1aT9mN4wR7sJ3pLd',
      endpointUid: 'crm',
      attempt: 2,
      at: '2027-01-01T00:00:00Z',
      status: 500,
      error: null,
      reason: 'http 5xx',
      milliseconds: 8,
      body: 'KeyError:\n\u001b[2J',
    };
    const programs = await fakeContext({ options: { output: 'ndjson' } });
    (await createLiveLog(programs))?.onAttempt(attempt);
    expect(JSON.parse(programs.stdout())).toEqual({ delivery: attempt });
    const people = await fakeContext({ answers: [] });
    (await createLiveLog(people))?.onAttempt(attempt);
    expect(people.stderr()).toMatch(
      /comment\.add {2}crm {2}attempt 2 {2}.*500 in 8 ms {2}"KeyError: \\u001b\[2J"/,
    );
  });
});
