import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SLOW } from '../slow.ts';
import { newUserInProcess } from './in-process.ts';
import { failure, startMockService, success } from './mock-service.ts';
import { startTerminal } from './terminal.ts';

const TOKEN = 'token-of-the-key-0001';
const addVerified = (name: string, baseUrl: string) => [
  'profiles',
  'add',
  name,
  '--base-url',
  baseUrl,
  '--api-key',
  'key-1',
];
const add = (name: string, baseUrl: string) => [...addVerified(name, baseUrl), '--no-verify'];

describe('profiles of the built tool', () => {
  it('keep a secret from stdin in private files and use it in calls', async () => {
    const { svc, home } = await newUserInProcess();
    const { env, received } = await startMockService(() => success([]));
    const added = await svc([...add('prod', env.SVC_BASE_URL), '--auth-token-stdin'], {
      stdin: `${TOKEN}\n`,
    });
    expect(added.code, added.stderr).toBe(0);
    const folder = join(home, '.config', 'svc');
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, 'secrets.json'))).mode & 0o777).toBe(0o600);
    const listed = await svc(['folders', 'list', '--org', 'acme', '-o', 'json']);
    expect(listed).toMatchObject({ code: 0, stdout: '[]\n' });
    expect(received[0]?.headers).toMatchObject({
      'x-svc-api-key': 'key-1',
      'x-svc-auth-token': TOKEN,
    });
  });

  it('are listed, selected, renamed, and removed', async () => {
    const { svc } = await newUserInProcess();
    for (const name of ['one', 'two']) {
      await svc([...add(name, 'https://api.example.com'), '--auth-token-stdin'], { stdin: TOKEN });
    }
    expect((await svc(['profiles', 'use', 'two'])).code).toBe(0);
    expect((await svc(['profiles', 'rename', 'two', 'three'])).code).toBe(0);
    expect((await svc(['profiles', 'remove', 'one', '--yes'])).code).toBe(0);
    const listed = JSON.parse((await svc(['profiles', 'list', '-o', 'json'])).stdout);
    expect(listed.map(({ name }: { name: string }) => name)).toEqual(['three']);
    const status = await svc(['whoami', '--all', '-o', 'json']);
    const values = new Map(
      JSON.parse(status.stdout).map((row: { setting: string }) => [row.setting, row]),
    );
    expect(values.get('profile')).toMatchObject({ value: 'three' });
    expect(values.get('authToken')).toMatchObject({
      value: '****0001',
      source: expect.stringContaining('secrets.json'),
    });
    expect(status.stdout + status.stderr).not.toContain(TOKEN);
  });

  it('are overridden by .svc.json, the environment, and flags, in this order', async () => {
    const { svc, home } = await newUserInProcess();
    const { env, received } = await startMockService(() => success([]));
    await svc([...add('prod', env.SVC_BASE_URL), '--org', 'of-profile', '--auth-token-stdin'], {
      stdin: TOKEN,
    });
    const inner = join(home, 'project', 'deep');
    await mkdir(inner, { recursive: true });
    const list = ['folders', 'list', '-o', 'json'];
    await svc(list);
    await writeFile(join(home, 'project', '.svc.json'), '{"org":"of-folder"}');
    await svc(list, { cwd: inner });
    await svc(list, { cwd: inner, env: { SVC_ORG: 'of-environment' } });
    await svc([...list, '--org', 'of-flag'], { cwd: inner, env: { SVC_ORG: 'of-environment' } });
    expect(received.map(({ body }) => body.data['organizationId'])).toEqual([
      'of-profile',
      'of-folder',
      'of-environment',
      'of-flag',
    ]);
  });

  it('never send a stored secret to another host', async () => {
    const { svc } = await newUserInProcess();
    const { env, received } = await startMockService(() => success([]));
    await svc([...add('prod', 'https://api.example.com'), '--auth-token-stdin'], { stdin: TOKEN });
    const run = await svc(['folders', 'list', '--org', 'acme', '--base-url', env.SVC_BASE_URL]);
    expect(run.code).toBe(4);
    expect(received).toEqual([]);
  });

  it('reject a secret that is not valid in a header, without repeating it', async () => {
    const { svc } = await newUserInProcess();
    const run = await svc([...add('prod', 'https://api.example.com'), '--auth-token-stdin'], {
      stdin: 'half-one\nhalf-two',
    });
    expect(run.code).toBe(2);
    expect(run.stdout + run.stderr).not.toMatch(/half-/);
  });

  it('that are damaged are named and never overwritten', async () => {
    const { svc, home } = await newUserInProcess();
    const path = join(home, '.config', 'svc', 'profiles.json');
    await mkdir(join(home, '.config', 'svc'), { recursive: true });
    await writeFile(path, '{"profiles": {');
    const run = await svc([...add('prod', 'https://api.example.com'), '--auth-token-stdin'], {
      stdin: TOKEN,
    });
    expect(run.code).toBe(12);
    expect(run.stderr).toContain(path);
    expect(await readFile(path, 'utf8')).toBe('{"profiles": {');
  });
});

describe('profiles add verifies the credentials with one read', () => {
  const STDIN = { stdin: `${TOKEN}\n` };

  it('before it saves them, and says who and where in one line', async () => {
    const { svc } = await newUserInProcess();
    const { env, received } = await startMockService(() => success({}));
    const words = [
      ...addVerified('prod', env.SVC_BASE_URL),
      '--auth-token-stdin',
      '--insecure-storage',
    ];
    const { code, stdout, stderr } = await svc(words, {
      ...STDIN,
      env: { SVC_API_KEY: 'of-environment' },
    });
    const host = new URL(env.SVC_BASE_URL).host;
    const line = `Saved profile 'prod' for API key key-1 at ${host} (verified, selected)\n`;
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: line });
    expect(received).toHaveLength(1);
    const credentials = { 'x-svc-api-key': 'key-1', 'x-svc-auth-token': TOKEN };
    expect(received[0]).toMatchObject({
      path: '/v2/workspace/webhookconfig/get',
      headers: credentials,
    });
  });

  it('of the workspace too', async () => {
    const { svc, home } = await newUserInProcess();
    const { env, received } = await startMockService(() => success({}));
    await writeFile(join(home, 'token'), TOKEN);
    const workspace = [
      '--workspace-id',
      'w-1',
      '--workspace-auth-token-file',
      'token',
      '--header-prefix',
      'x-acme-',
    ];
    const words = [
      ...addVerified('prod', env.SVC_BASE_URL),
      '--auth-token-stdin',
      ...workspace,
      '--insecure-storage',
    ];
    const { code, stderr } = await svc(words, STDIN);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('for API key key-1 and workspace w-1 at '),
    ]);
    expect(received.map(({ path }) => path)).toEqual([
      '/v2/workspace/webhookconfig/get',
      '/v2/workspace/get',
    ]);
    expect(received[1]?.headers).toMatchObject({
      'x-acme-workspace-id': 'w-1',
      'x-acme-workspace-auth-token': TOKEN,
    });
  });

  it.each([
    {
      status: 401,
      word: 'UNAUTHENTICATED',
      who: 'the API key or its auth token',
      flags: ['--auth-token-stdin'],
    },
    {
      status: 403,
      word: 'PERMISSION_DENIED',
      who: 'the API key or its auth token',
      flags: ['--auth-token-stdin'],
    },
    {
      status: 404,
      word: 'NOT_FOUND',
      who: 'the workspace ID or its auth token',
      flags: ['--workspace-id', 'w', '--workspace-auth-token-stdin'],
    },
  ])(
    'and saves nothing if the service rejects them with $word, unless --no-verify is given',
    async (rejection) => {
      const { svc } = await newUserInProcess();
      const { env, received } = await startMockService(() =>
        failure(rejection.status, rejection.word, 'No.'),
      );
      const words = [
        ...addVerified('prod', env.SVC_BASE_URL),
        ...rejection.flags,
        '--insecure-storage',
      ];
      const { code, stderr } = await svc(words, STDIN);
      const message = `svc: the service rejected ${rejection.who}; nothing was saved: No. (${rejection.word})\n`;
      expect([code, stderr]).toEqual([4, expect.stringMatching(/hint: .*--no-verify/)]);
      expect(stderr.startsWith(message), stderr).toBe(true);
      expect((await svc(['profiles', 'list', '-o', 'json'])).stdout).toBe('[]\n');
      const saved = await svc([...words, '--no-verify'], STDIN);
      expect([saved.code, saved.stderr]).toEqual([
        0,
        expect.stringContaining('(not verified, selected)'),
      ]);
      expect(received).toHaveLength(1);
    },
  );

  it.each([
    { name: 'a closed port', reply: undefined },
    { name: 'another program', reply: { status: 200, body: '<h1>Welcome</h1>' } },
    { name: 'an unknown path', reply: failure(404, 'NOT_FOUND', 'Unknown path.') },
  ])('and warns if they cannot be verified: $name', async ({ reply }) => {
    const { svc } = await newUserInProcess();
    const baseUrl = reply
      ? (await startMockService(() => reply)).env.SVC_BASE_URL
      : 'http://127.0.0.1:9';
    const words = [...addVerified('prod', baseUrl), '--auth-token-stdin', '--insecure-storage'];
    const { code, stderr } = await svc(words, STDIN);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^warning: the credentials could not be verified: /),
    ]);
    expect(stderr).toMatch(
      /^Saved profile 'prod' for API key key-1 at .* \(not verified, selected\)$/m,
    );
  });
});

describe('profiles added concurrently', () => {
  it('by 50 processes are all saved', SLOW, async () => {
    const { svc } = await newUserInProcess();
    const names = Array.from({ length: 50 }, (_, index) => `p${index}`);
    const runs = await Promise.all(
      names.map((name) =>
        svc([...add(name, 'https://api.example.com'), '--auth-token-stdin'], {
          stdin: TOKEN + name,
        }),
      ),
    );
    expect(runs.map(({ code, stderr }) => (code === 0 ? '' : stderr)).join('')).toBe('');
    const listed = JSON.parse((await svc(['profiles', 'list', '-o', 'json'])).stdout);
    expect(listed.map(({ name }: { name: string }) => name)).toEqual(names.toSorted());
    const shown = await svc(['profiles', 'show', 'p49', '--show-secrets', '-o', 'json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ authToken: `${TOKEN}p49` });
  });
});

describe.runIf(process.platform === 'linux')('with a session bus that never responds', () => {
  async function userWithHungBus() {
    const user = await newUserInProcess();
    const path = join(user.home, 'bus');
    const server = createServer(() => undefined).listen(path);
    onTestFinished(() => void server.close());
    const env = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` };
    return {
      ...user,
      hung: (words: readonly string[], stdin = '') => user.svc(words, { env, stdin }),
    };
  }

  it(
    'a secret is saved to the file after 3 s with one warning, and is then read from there immediately',
    SLOW,
    async () => {
      const { hung } = await userWithHungBus();
      const started = performance.now();
      const added = await hung(
        [...add('prod', 'https://api.example.com'), '--auth-token-stdin'],
        TOKEN,
      );
      expect(added.code).toBe(0);
      expect(
        added.stderr.match(/^warning: .*did not respond within 3 s.*secrets\.json$/gm),
      ).toHaveLength(1);
      expect(performance.now() - started).toBeLessThan(8_000);
      const status = await hung(['whoami', '--all']);
      expect(status).toMatchObject({ code: 0, stderr: '' });
      expect(status.stdout).toContain('secrets.json');
    },
  );

  it(
    'a secret in the keychain is reported as missing with the reason, while other sources work',
    SLOW,
    async () => {
      const { hung, home, svc } = await userWithHungBus();
      await svc([...add('prod', 'https://api.example.com'), '--auth-token-stdin'], {
        stdin: TOKEN,
      });
      const path = join(home, '.config', 'svc', 'profiles.json');
      await writeFile(
        path,
        (await readFile(path, 'utf8')).replace('"authToken": "file"', '"authToken": "keychain"'),
      );
      const status = await hung(['whoami', '--all']);
      expect(status.code).toBe(4);
      expect(status.stderr).toContain("profile 'prod': the keychain did not respond within 3 s");
      expect((await hung(['profiles', 'list', '-o', 'json'])).stderr).toBe('');
    },
  );
});

describe('in a terminal', () => {
  it('profiles add prompts for missing values and shows no secret', async () => {
    const { svc, env } = await newUserInProcess();
    const service = await startMockService(() => success({}));
    const baseUrl = service.env.SVC_BASE_URL;
    const screen = startTerminal(['profiles', 'add'], env);
    await screen.shows('Profile name');
    screen.type('a/b\r');
    await screen.shows("invalid profile name 'a/b'");
    // The line still contains the typed text, and Ctrl-U clears it.
    screen.type('\u0015prod\r');
    await screen.shows('Base URL');
    screen.type('nowhere\r');
    await screen.shows('it is not a URL; use a URL like https://api.example.com');
    screen.type(`\u0015${baseUrl}\r`);
    await screen.shows('API key');
    screen.type('key-1\r');
    await screen.shows('Auth token');
    screen.type(`${TOKEN}\r`);
    expect(await screen.ended, screen.screen()).toBe(0);
    expect(screen.screen()).not.toContain(TOKEN);
    expect(screen.screen().replace(/\s+/g, ' ')).toContain(
      "Saved profile 'prod' for API key key-1 at 127.0.0.1",
    );
    expect(service.received).toHaveLength(1);
    const shown = JSON.parse(
      (await svc(['profiles', 'show', 'prod', '--show-secrets', '-o', 'json'])).stdout,
    );
    expect(shown).toMatchObject({ baseUrl, apiKey: 'key-1', authToken: TOKEN });
  });

  it('Ctrl-C at a prompt exits with 130 and leaves nothing behind', async () => {
    const { svc, env } = await newUserInProcess();
    const screen = startTerminal(['profiles', 'add', 'prod'], env);
    await screen.shows('Base URL');
    screen.type('\u0003');
    expect(await screen.ended).toBe(130);
    expect((await svc(['profiles', 'list', '-o', 'json'])).stdout).toBe('[]\n');
  });

  it('a destructive command asks for confirmation, with no as the default', async () => {
    const { env: userEnv } = await newUserInProcess();
    const { env, received } = await startMockService(() => success({}));
    const workspace = { SVC_WORKSPACE_ID: 'w', SVC_WORKSPACE_AUTH_TOKEN: 'workspace-token' };
    const screen = startTerminal(['auth-tokens', 'reset', '--api-key', 'K'], {
      ...userEnv,
      ...env,
      ...workspace,
    });
    await screen.shows('Replace the auth token of API key K?');
    screen.type('\r');
    expect(await screen.ended).toBe(2);
    expect(screen.screen()).toContain('nothing was changed');
    expect(received).toEqual([]);
  });
});
