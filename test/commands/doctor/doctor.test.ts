import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DoctorFinding } from '../../../src/commands/doctor/check.ts';
import { doctorCommand } from '../../../src/commands/doctor/doctor.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { SvcError } from '../../../src/kernel/errors.ts';
import { createProfileStore } from '../../../src/profiles/store.ts';
import { openEmbedded } from '../../../src/service/embedded.ts';
import { resolveStoreLocation } from '../../../src/service/store/location.ts';
import { borrowAuthority } from '../../client/certificates.ts';
import { httpProxy } from '../../client/proxies.ts';
import { listen } from '../../listen.ts';
import { SLOW } from '../../slow.ts';
import { createUserFolders } from '../../temporary-folder.ts';
import { type FakeContextOptions, fakeContext } from '../fake-context.ts';

/** Overrides of the service's responses by path. */
type Answers = Readonly<Record<string, { readonly status: number; readonly body: unknown }>>;

/**
 * Starts the embedded service behind a server with the given Date header, and returns the variables
 * for it.
 */
async function service(answers: Answers = {}, date = new Date()) {
  const local = await openEmbedded(
    await resolveStoreLocation(undefined, await createUserFolders()),
    { clock: systemClock },
  );
  onTestFinished(() => local.close());
  const asked: {
    readonly path: string;
    readonly method: string | undefined;
    readonly authorized: boolean;
  }[] = [];
  const listener: RequestListener = async (request, response) => {
    const { url: path = '', method = '', headers } = request;
    asked.push({ path, method, authorized: 'x-svc-auth-token' in headers });
    const body = method === 'GET' ? {} : { body: await text(request) };
    const answer = answers[path];
    const reply = answer
      ? Response.json(answer.body, { status: answer.status })
      : await local.fetch(
          new Request(`http://localhost${path}`, {
            method,
            headers: Object.entries(headers) as [string, string][],
            ...body,
          }),
        );
    response.writeHead(reply.status, {
      'content-type': 'application/json',
      date: date.toUTCString(),
    });
    response.end(await reply.text());
  };
  const { key, workspace } = local.target;
  const environment = (baseUrl: string) => ({
    LANG: 'C.UTF-8',
    SVC_BASE_URL: baseUrl,
    SVC_API_KEY: key.apiKey,
    SVC_AUTH_TOKEN: key.authToken,
    SVC_WORKSPACE_ID: workspace.workspaceId,
    SVC_WORKSPACE_AUTH_TOKEN: workspace.workspaceAuthToken,
  });
  return { listener, asked, environment };
}

const NOBODY = (baseUrl: string) => ({
  SVC_BASE_URL: baseUrl,
  SVC_API_KEY: 'key-1',
  SVC_AUTH_TOKEN: 'token-of-key',
});

/** Runs the doctor, and returns its findings by name and its error. */
async function run(world: FakeContextOptions = {}, words: Readonly<Record<string, string>> = {}) {
  const context = await fakeContext({
    ...world,
    options: { output: 'json', insecureHttp: true, ...world.options },
  });
  const error = await doctorCommand(context, { arguments: [], options: words }).then(
    () => undefined,
    (thrown: unknown) => thrown as SvcError,
  );
  if (error && !(error instanceof SvcError)) throw error;
  const findings: readonly DoctorFinding[] = context.stdout() ? JSON.parse(context.stdout()) : [];
  const found = (name: string) => findings.find((finding) => finding.name === name);
  return { findings, found, error, context };
}

async function plainService(answers?: Answers, date?: Date) {
  const { listener, asked, environment } = await service(answers, date);
  return { environment: environment(`http://${await listen(createServer(listener))}`), asked };
}

describe('doctor', () => {
  it('reports no problems, makes only reads, and reads the clock without credentials', async () => {
    const { environment, asked } = await plainService();
    const { error, found } = await run({ environment });
    expect(error).toBeUndefined();
    expect(found('profile')).toMatchObject({ state: 'ok' });
    expect(found('dns')).toMatchObject({ state: 'ok', detail: '127.0.0.1 is an IP address' });
    expect(found('connection')).toMatchObject({
      state: 'ok',
      detail: expect.stringContaining('this machine'),
    });
    expect(found('answer')).toMatchObject({
      state: 'info',
      detail: expect.stringMatching(/^HTTP 404 in \d+ ms$/),
    });
    expect(found('clock')).toMatchObject({ state: 'ok' });
    expect(found('key-credentials')).toEqual({
      name: 'key-credentials',
      state: 'ok',
      detail: `API key ${environment.SVC_API_KEY}: accepted`,
    });
    expect(found('workspace-credentials')).toMatchObject({ state: 'ok' });
    expect(asked.filter(({ path }) => path === '/')).toEqual([
      { path: '/', method: 'POST', authorized: false },
    ]);
    expect(
      asked.map(({ path }) => path).filter((path) => !path.endsWith('/get') && path !== '/'),
    ).toEqual([]);
  });

  it('explains how to fix missing settings, and skips checks that need them', async () => {
    const { error, found, findings } = await run();
    expect(error).toMatchObject({
      failure: 'no_credential',
      hint: expect.stringContaining('svc login'),
    });
    expect(found('profile')).toMatchObject({
      state: 'fail',
      fix: expect.stringContaining('svc login'),
    });
    expect(found('dns')?.detail).toBe('skipped because profile failed');
    expect(found('key-credentials')?.detail).toBe('skipped because profile failed');
    expect(findings.filter(({ state }) => state === 'fail')).toHaveLength(1);
    const context = await fakeContext({ options: { output: 'table' } });
    await expect(doctorCommand(context, { arguments: [], options: {} })).rejects.toThrow(
      '1 of 19 checks failed',
    );
    const skipped = context.stdout().match(/^skipped .*$/gm);
    expect(skipped).toEqual([
      'skipped 9 checks            skipped because profile failed: proxy, dns, connection, answer, clock, ' +
        'key-credentials, workspace-credentials, advanced-webhooks, advanced-queries',
    ]);
  });

  it('calls only good news ok: a missing keychain, a pipe, and an error status are facts', async () => {
    const { found } = await run();
    expect(found('keychain')).toMatchObject({
      state: 'info',
      detail: expect.stringContaining('is not running'),
    });
    expect(found('terminal')).toMatchObject({ state: 'info' });
    const statuses = [200, 404, 503].map(async (status) => {
      const { environment } = await plainService({ '/': { status, body: {} } });
      return (await run({ environment })).found('answer')?.state;
    });
    expect(await Promise.all(statuses)).toEqual(['ok', 'info', 'warn']);
  });

  it('distinguishes a rejected credential from a valid one', async () => {
    const { environment } = await plainService();
    const { error, found } = await run({
      environment: { ...environment, SVC_AUTH_TOKEN: 'an-old-token' },
    });
    expect(error).toMatchObject({
      failure: 'unauthenticated',
      message: '1 of 19 checks failed: key-credentials',
    });
    expect(found('key-credentials')).toMatchObject({
      state: 'fail',
      detail: expect.stringContaining('(UNAUTHENTICATED)'),
      fix: expect.stringContaining('SVC_AUTH_TOKEN'),
    });
    expect(found('workspace-credentials')).toMatchObject({ state: 'ok' });
    expect(found('advanced-webhooks')).toMatchObject({
      detail: 'skipped because key-credentials failed',
    });
  });

  it('skips a credential that is not configured', async () => {
    const { environment } = await plainService();
    const { error, found } = await run({ environment: { ...environment, SVC_WORKSPACE_ID: '' } });
    expect(error).toBeUndefined();
    expect(found('workspace-credentials')).toMatchObject({ state: 'skipped' });
  });

  it('warns about a rate limit', async () => {
    const limited = {
      status: 429,
      body: { error: { status: 'RESOURCE_EXHAUSTED', message: 'Slow down.' } },
    };
    const { environment } = await plainService({ '/v2/workspace/webhookconfig/get': limited });
    const { error, found } = await run({ environment });
    expect(found('key-credentials')).toMatchObject({
      state: 'warn',
      detail: 'Slow down. (RESOURCE_EXHAUSTED)',
    });
    expect(error).toBeUndefined();
  });

  it('reports enabled and disabled features', async () => {
    const off = { status: 400, body: { error: { status: 'FAILED_PRECONDITION', message: 'no' } } };
    const on = {
      isEnabled: true,
      encryptData: false,
      encodeData: false,
      publicKey: '',
      enableDataProtection: false,
    };
    const first = await plainService({ '/v2/organizations/documents/get': off });
    const { found } = await run({ environment: first.environment }, { org: 'acme' });
    expect(found('advanced-webhooks')).toMatchObject({
      state: 'warn',
      fix: expect.stringContaining('--enable'),
    });
    expect(found('advanced-queries')).toMatchObject({ state: 'warn' });
    const second = await plainService({
      '/v2/workspace/advancedwebhookconfig/get': {
        status: 200,
        body: { result: { status: 'success', data: on } },
      },
    });
    const there = await run({ environment: second.environment }, { org: 'acme' });
    expect(there.found('advanced-webhooks')).toMatchObject({ state: 'ok' });
    expect(there.found('advanced-queries')).toMatchObject({ state: 'ok' });
  });

  it('sends no request for an organization ID that svc does not accept', async () => {
    const service = await plainService({});
    const environment = { ...service.environment, SVC_ORG: 'ac\u200bme' };
    const { found } = await run({ environment });
    expect(found('advanced-queries')).toMatchObject({ state: 'fail' });
    const flag = await run({ environment: service.environment }, { org: 'acme ' });
    expect(flag.error).toMatchObject({
      failure: 'usage',
      message: expect.stringContaining('--org: '),
    });
  });

  it.each([
    [-600, '600 s ahead of', 'warn'],
    [600, '600 s behind', 'warn'],
    [60, 'within', 'ok'],
  ])('reports a clock skew of %d s: %s', async (seconds, words, state) => {
    const { environment } = await plainService({}, new Date(Date.now() + seconds * 1_000));
    const { found } = await run({ environment });
    expect(found('clock')?.state).toBe(state);
    expect(
      found('clock')?.detail.replace(/\d+/, (number) =>
        String(Math.round(Number(number) / 10) * 10),
      ),
    ).toContain(words);
  });

  it('reports the first network problem with its exit code', async () => {
    const closed = await run({ environment: NOBODY('http://127.0.0.1:9') });
    expect(closed.found('connection')).toMatchObject({
      state: 'fail',
      detail: expect.stringContaining('127.0.0.1:9'),
    });
    expect(closed.found('key-credentials')?.detail).toBe('skipped because connection failed');
    expect(closed.error).toMatchObject({
      failure: 'unreachable',
      message: '1 of 19 checks failed: connection',
    });
    const nowhere = await run({ environment: NOBODY('https://nowhere.invalid') });
    expect(nowhere.found('dns')).toMatchObject({
      state: 'fail',
      detail: expect.stringContaining('nowhere.invalid'),
    });
  });

  it('uses a proxy, which resolves names and opens connections', async () => {
    const { environment, asked } = await plainService();
    const { host } = await httpProxy();
    const url = environment.SVC_BASE_URL.replace('127.0.0.1', 'svc.example.test');
    const { found } = await run({
      environment: { ...environment, SVC_BASE_URL: url, HTTP_PROXY: `http://${host}` },
    });
    expect(found('proxy')).toMatchObject({ state: 'ok', detail: `${host} (HTTP_PROXY)` });
    expect(found('connection')).toMatchObject({ state: 'skipped' });
    expect(found('key-credentials')).toMatchObject({ state: 'ok' });
    expect(asked.length).toBeGreaterThan(1);
  });
});

describe('doctor over TLS', () => {
  async function secureService(name: string, days?: number) {
    const authority = await borrowAuthority();
    const { listener, environment } = await service();
    const host = await listen(createSecureServer(await authority.issue(name, days), listener));
    return { environment: environment(`https://${host}`), caFile: authority.file };
  }

  it.each([
    ['that expires in 30 days', 'IP:127.0.0.1', 30, true, 'ok', /expires in (29|30) days/],
    ['that expires soon', 'IP:127.0.0.1', 3, true, 'warn', /expires in [23] days/],
    ['that has expired', 'IP:127.0.0.1', -1, true, 'fail', /expired on .*clock says/],
    [
      'for another host',
      'DNS:elsewhere.example.test',
      30,
      true,
      'fail',
      /another host.*elsewhere\.example\.test/,
    ],
    [
      'of an unknown authority',
      'IP:127.0.0.1',
      30,
      false,
      'fail',
      /unknown authority.*an authority/,
    ],
  ])('checks a certificate %s', SLOW, async (_, name, days, trusted, state, words) => {
    const { environment, caFile } = await secureService(name, days);
    const { found, error } = await run({ environment, ...(trusted && { options: { caFile } }) });
    expect(found('connection')).toMatchObject({ state, detail: expect.stringMatching(words) });
    expect(error?.failure).toBe(state === 'fail' ? 'unreachable' : undefined);
    if (state === 'fail')
      expect(found('connection')?.fix).toMatch(days < 0 ? /clock/ : /--ca-file/);
    else expect(found('key-credentials')).toMatchObject({ state: 'ok' });
  });
});

describe('doctor on this machine', () => {
  it('finds files that other users can read', async () => {
    const folders = await createUserFolders();
    const store = createProfileStore({ folders, clock: systemClock });
    await store.add('prod', { baseUrl: 'http://127.0.0.1:9', apiKey: 'k' }, { authToken: 'token' });
    const path = join(folders.config, 'secrets.json');
    await chmod(path, 0o644);
    const { found, error } = await run({ folders });
    expect(found('permissions')).toMatchObject({
      state: 'fail',
      detail: `${path} is accessible to other users (644)`,
      fix: `chmod 600 ${path}`,
    });
    expect(error).toMatchObject({ failure: 'local' });
    await chmod(path, 0o600);
    await chmod(folders.config, 0o755);
    expect((await run({ folders })).found('permissions')).toMatchObject({
      state: 'warn',
      fix: `chmod 700 ${folders.config}`,
    });
  });

  it('finds a folder that is not writable, and leaves no probe files', async () => {
    const folders = await createUserFolders();
    await mkdir(folders.data, { recursive: true });
    await writeFile(folders.state, 'a file in the place of a folder');
    const { found } = await run({ folders });
    expect(found('state-folder')).toMatchObject({
      state: 'fail',
      detail: expect.stringContaining(folders.state),
    });
    expect(found('data-folder')).toMatchObject({ state: 'ok', detail: folders.data });
    expect(found('config-folder')).toMatchObject({
      state: 'ok',
      detail: expect.stringContaining('does not exist yet'),
    });
    expect([await readdir(folders.data), (await readdir(join(folders.data, '..'))).sort()]).toEqual(
      [[], ['data', 'state']],
    );
  });

  it('reports a damaged profiles file', async () => {
    const folders = await createUserFolders();
    await mkdir(folders.config, { mode: 0o700, recursive: true });
    await writeFile(join(folders.config, 'profiles.json'), '{"profiles": {', { mode: 0o600 });
    const { found, error } = await run({ folders });
    expect(found('profile')).toMatchObject({
      state: 'fail',
      detail: expect.stringContaining('profiles.json is damaged'),
    });
    expect(error).toMatchObject({ failure: 'local' });
  });

  it('warns if certificate checks are turned off', async () => {
    const { found } = await run({ environment: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } });
    expect(found('certificate-checks')).toMatchObject({
      state: 'warn',
      fix: expect.stringContaining('unset'),
    });
  });

  it('checks the embedded service instead of the network with --local', async () => {
    const { error, findings, found } = await run({ options: { local: true } });
    expect(error).toBeUndefined();
    expect(found('dns')).toBeUndefined();
    expect(found('workspace-credentials')).toMatchObject({ state: 'ok' });
    expect(findings.map(({ state }) => state)).not.toContain('fail');
  });

  it('draws symbols on a terminal, and words for a pipe or a screen reader', async () => {
    const options = { local: true, output: 'table' } as const;
    const list = async (world: FakeContextOptions) => {
      const context = await fakeContext({ ...world, options });
      await doctorCommand(context, { arguments: [], options: {} });
      return context.stdout();
    };
    expect(await list({ answers: [] })).toMatch(/^✓ node {2,}Node\.js v/m);
    expect(await list({ answers: [] })).toMatch(/^ {2,}fix: /m);
    for (const world of [{}, { answers: [], environment: { ACCESSIBLE: '1' } }]) {
      expect(await list(world)).toMatch(/^ok {6}node {2,}Node\.js v/m);
    }
  });

  it('rejects --dry-run', async () => {
    expect((await run({ options: { dryRun: true } })).error).toMatchObject({ failure: 'usage' });
  });
});
