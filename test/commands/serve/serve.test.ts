import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { formatWelcome, serveCommand } from '../../../src/commands/serve/serve.ts';
import { SvcError } from '../../../src/kernel/errors.ts';
import { processId } from '../../../src/kernel/io.ts';
import { openEmbedded } from '../../../src/service/embedded.ts';
import { resolveStoreLocation } from '../../../src/service/store/location.ts';
import { eventually } from '../../eventually.ts';
import { createUserFolders } from '../../temporary-folder.ts';
import { type FakeContextOptions, fakeContext } from '../fake-context.ts';

/** A serving command, and what ends it. */
async function serving(world: FakeContextOptions, options: Record<string, string | boolean> = { port: '0' }) {
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

describe('svc serve', () => {
  it.each(['json', 'ndjson'] as const)('-o %s prints one line that is all one needs to call it', async (output) => {
    const { context } = await serving({ options: { output } });
    expect(context.stdout()).toMatch(/^[^\n]+\n$/);
    const { url, ...credentials } = JSON.parse(context.stdout());
    expect(Object.keys(credentials)).toEqual(['apiKey', 'authToken', 'workspaceId', 'workspaceAuthToken']);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const response = await fetch(`${url}/v1/users/add`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-svc-api-key': credentials.apiKey,
        'x-svc-auth-token': credentials.authToken,
      },
      body: JSON.stringify({ data: { organizationId: 'acme', users: [{ userId: 'u1' }] } }),
    });
    expect(response.status).toBe(200);
  });

  it('prints the variables to export', async () => {
    const { context } = await serving({});
    expect(context.stdout()).toMatch(/^Serving on http:\/\/127\.0\.0\.1:\d+\. In another terminal:\n/);
    expect(context.stdout()).toMatch(/^ {2}export SVC_AUTH_TOKEN=[\w-]{32}$/m);
  });

  it('prints PowerShell assignments on Windows', () => {
    const [apiKey, authToken, workspaceId, workspaceAuthToken] = ['k', '-a_', 'w', 't'];
    const text = formatWelcome('http://127.0.0.1:1', { apiKey, authToken, workspaceId, workspaceAuthToken }, 'win32');
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
    await expect(serving({ options: { store: `sqlite:${store}` } })).rejects.toMatchObject({ failure: 'locked' });
    const local = await openEmbedded(await resolveStoreLocation(undefined, folders), { clock: context.clock });
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
        headers: { 'content-type': 'application/json', 'x-svc-api-key': apiKey, 'x-svc-auth-token': authToken },
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
    await expect(serving({}, { port: '0', ...options })).rejects.toMatchObject({ failure: 'usage' });
  });
});
