import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isHarmless } from '../../src/catalog/harmless.ts';
import type { OperationName } from '../../src/catalog/index.ts';
import { manifest } from '../../src/catalog/manifest.ts';
import type { SvcError } from '../../src/kernel/errors.ts';
import { createClient } from '../../src/library/client.ts';
import { eventually } from '../eventually.ts';
import { startTestService } from '../service/test-service.ts';
import { createValidCalls } from '../service/valid-calls.ts';
import { SLOW } from '../slow.ts';
import { createApplyUser, settingsOf } from './apply-user.ts';
import { DOORS, wordsOf, writeData } from './doors.ts';
import { newUserInProcess } from './in-process.ts';
import { startMockService, success } from './mock-service.ts';
import { startServing } from './serving.ts';
import { newUser, type Run } from './svc.ts';

const WORKSPACE = {
  SVC_WORKSPACE_ID: 'w1',
  SVC_WORKSPACE_AUTH_TOKEN: 'token-of-the-workspace-0001',
};
/** Ways around a protection, which a refusal must not name. */
const WAYS_AROUND = /SVC_ALLOW|--yes|--show-secrets|--no-read-only|SVC_READ_ONLY=0|unset/;

interface Way {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Creates a user with a counting service, and the ways to make it read-only. */
async function createReadOnlyUser() {
  const user = await newUserInProcess();
  const { env, received } = await startMockService(() => success({}));
  const { SVC_AUTH_TOKEN: token, ...address } = env;
  await writeFile(join(user.home, 'token.txt'), token);
  const add = ['--base-url', env.SVC_BASE_URL];
  const secret = ['--auth-token-file', 'token.txt', '--insecure-storage', '--no-verify'];
  // Profiles with the same URL and API key share their protections.
  for (const [name, flags] of [
    ['prod', ['--api-key', 'key-1', '--read-only']],
    ['open', ['--api-key', 'key-2']],
  ] as const) {
    const added = await user.svc(['profiles', 'add', name, ...add, ...secret, ...flags]);
    expect(added.code, added.stderr).toBe(0);
  }
  const folder = join(user.home, 'project', 'nested');
  await mkdir(folder, { recursive: true });
  await writeFile(join(user.home, 'project', '.svc.json'), '{"readOnly":true}');
  await writeFile(join(folder, '.svc.json'), '{"readOnly":false,"org":"acme"}');
  const direct = { ...address, SVC_AUTH_TOKEN: token, ...WORKSPACE };
  const ways: Readonly<Record<string, Way>> = {
    profile: { env: { ...WORKSPACE, SVC_PROFILE: 'prod' }, cwd: user.home },
    variable: { env: { ...direct, SVC_READ_ONLY: '1' }, cwd: user.home },
    folder: { env: direct, cwd: folder },
    all: { env: { ...WORKSPACE, SVC_PROFILE: 'prod', SVC_READ_ONLY: 'true' }, cwd: folder },
  };
  return { ...user, received, ways, direct, token };
}

async function validData(): Promise<Readonly<Record<OperationName, object>>> {
  return createValidCalls(await startTestService());
}

function expectRefusal(name: string, { code, stdout, stderr }: Run): void {
  expect([name, code, stdout], stderr).toEqual([name, 4, '']);
  const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
  expect(error, name).toMatchObject({ code: 'read_only', exitCode: 4, retryable: false });
  expect(error.message, name).toMatch(/ is read-only \(set by .+\), and .*; nothing was sent$/);
  expect(error.hint, name).toBe('to read about read-only access, run svc help read-only');
  expect(stderr, name).not.toMatch(WAYS_AROUND);
}

describe('a read-only target', () => {
  it(
    'gets no request of any operation that writes or hands out secrets, by any door and way',
    SLOW,
    async () => {
      const { svc, ways, received } = await createReadOnlyUser();
      const calls = await validData();
      let refusals = 0;
      for (const [way, setting] of Object.entries(ways)) {
        for (const entry of manifest) {
          for (const [door, toWords] of Object.entries(DOORS)) {
            const words = toWords(entry, calls[entry.name]);
            if (!words || (isHarmless(entry) && door !== 'unknown path')) continue;
            expectRefusal(
              `${entry.name} by ${door} with ${way}`,
              await svc([...words, '-o', 'json'], setting),
            );
            refusals += 1;
          }
        }
      }
      expect(received).toEqual([]);
      expect(refusals).toBeGreaterThan(4 * 4 * 26);
    },
  );

  it('gets the requests of all other operations', async () => {
    const { svc, ways, received } = await createReadOnlyUser();
    const calls = await validData();
    for (const entry of manifest.filter(isHarmless)) {
      const before = received.length;
      const words = [...wordsOf(entry), ...writeData(calls[entry.name]), '-o', 'json'];
      const { stderr } = await svc(words, { ...ways['all'] });
      expect([entry.name, received.length > before, stderr]).toEqual([
        entry.name,
        true,
        expect.not.stringContaining('read_only'),
      ]);
    }
  });

  it('is the embedded service too, if the environment or a folder is read-only', SLOW, async () => {
    const { svc, ways } = await createReadOnlyUser();
    const calls = await validData();
    const before = await svc(['local', 'export', '-o', 'json']);
    for (const way of ['variable', 'folder']) {
      for (const entry of manifest) {
        if (isHarmless(entry)) continue;
        const words = [...wordsOf(entry), ...writeData(calls[entry.name]), '--local'];
        expectRefusal(`${entry.name} with ${way}`, await svc([...words, '-o', 'json'], ways[way]));
      }
      const writes = [
        ['local', 'reset', '--yes'],
        ['local', 'import', '/dev/null'],
        ['local', 'snapshot', 'save', 's'],
        ['local', 'snapshot', 'restore', 's', '--yes'],
        ['local', 'snapshot', 'remove', 's'],
        ['local', 'clock', 'advance', '1h'],
        ['local', 'clock', 'freeze'],
        ['local', 'faults', 'add', '{"on":"users.add","status":"INTERNAL"}'],
        ['local', 'faults', 'clear'],
        ['local', 'deliveries', 'retry', '--failed'],
        ['local', 'export'],
        ['local', 'list', 'users', '--show-secrets'],
      ];
      for (const words of writes)
        expectRefusal(words.join(' '), await svc([...words, '-o', 'json'], ways[way]));
    }
    expect(await svc(['local', 'export', '-o', 'json'])).toEqual(before);
  });

  it('shows no secrets', async () => {
    const { svc, ways, token, received } = await createReadOnlyUser();
    for (const setting of Object.values(ways)) {
      for (const words of [
        ['auth-tokens', 'list', '--api-key', 'key-1'],
        ['email', 'get'],
        ['auth', 'status'],
        ['auth', 'recover'],
        ['profiles', 'show', 'prod'],
        ['api', '/v2/workspace/get', '--auth', 'workspace'],
      ]) {
        const run = await svc([...words, '--show-secrets', '-o', 'json'], setting);
        expectRefusal(words.join(' '), run);
        expect(run.stderr).not.toContain(token);
      }
    }
    // Another profile may be the active one.
    expectRefusal('show', await svc(['profiles', 'show', 'prod', '--show-secrets', '-o', 'json']));
    expect(received).toEqual([]);
  });

  it('gets no write of a plan, an undo, or a job that was started before', SLOW, async () => {
    const { svc, declare, control, requests, writes, home } = await createApplyUser();
    await declare(settingsOf('acme'));
    expect(await svc(['plan', '--out', 'plan.json'])).toMatchObject({ code: 0 });
    const readOnly = { SVC_READ_ONLY: '1' };
    const json = ['--yes', '-o', 'json'];
    expectRefusal('apply', await svc(['apply', ...json], readOnly));
    expectRefusal('apply of a plan', await svc(['apply', 'plan.json', ...json], readOnly));
    expect(writes()).toEqual([]);

    expect(await svc(['apply', 'plan.json', '--yes'])).toMatchObject({ code: 0 });
    await declare(settingsOf('acme').replace('folderName: B,', 'folderName: Beta,'));
    expect(await svc(['apply', '--yes'])).toMatchObject({ code: 0 });
    expect(await svc(['undo', '--out', 'undo.json'])).toMatchObject({ code: 0 });
    await writeFile(join(home, 'users.ndjson'), '{"userId":"u8"}\n{"userId":"u9"}\n');
    let adds = 0;
    control.intercept = ({ path }) => {
      if (!path.endsWith('/users/add')) return undefined;
      adds += 1;
      return adds > 1 ? { status: 'RESOURCE_EXHAUSTED', message: 'later' } : undefined;
    };
    const job = ['users', 'add', '--org', 'acme', '--file', 'users.ndjson', '--no-wait'];
    expect((await svc([...job, '--batch-size', '1', '--concurrency', '1'])).code).toBe(11);
    const before = writes().length;
    expectRefusal('apply of an undo', await svc(['apply', 'undo.json', ...json], readOnly));
    requests.length = 0;
    expectRefusal('resume', await svc(['jobs', 'resume', '-o', 'json'], readOnly));
    expect([writes(), before > 0]).toEqual([[], true]);
  });

  it('allows dry runs', async () => {
    const { svc, ways, received } = await createReadOnlyUser();
    const words = ['users', 'add', '--org', 'acme', '--user', 'u1', '--dry-run'];
    for (const setting of Object.values(ways)) expect((await svc(words, setting)).code).toBe(0);
    expect(received).toEqual([]);
  });

  it('names every setting that makes it read-only', async () => {
    const { svc, ways, home, direct } = await createReadOnlyUser();
    const { stderr } = await svc(['organizations', 'add', '--org', 'acme'], ways['all']);
    const host = new URL(direct.SVC_BASE_URL).host;
    expect(stderr).toBe(
      `svc: ${host} is read-only (set by profile 'prod', SVC_READ_ONLY, and ${join(home, 'project', '.svc.json')}), and 'organizations add' writes; nothing was sent\n` +
        'hint: to read about read-only access, run svc help read-only\n',
    );
    expect((await svc(['whoami'], ways['all'])).stdout).toContain(', read-only (');
    expect((await svc(['doctor'], ways['all'])).stdout).toContain('this binds svc, not the token');
  });

  it('stays read-only whatever another setting says', async () => {
    const { svc, ways, received } = await createReadOnlyUser();
    const bases = {
      profile: ways['profile'],
      folder: ways['folder'],
      neither: { env: { SVC_PROFILE: 'open' } },
    };
    const variables = [undefined, '', '0', 'false', '1', 'true'];
    const flags = [[], ['--yes'], ['--no-input'], ['--debug']];
    let combinations = 0;
    for (const [base, setting] of Object.entries(bases)) {
      for (const variable of variables) {
        for (const extra of flags) {
          const env = {
            ...setting?.env,
            SVC_ALLOW: 'prod',
            ...(variable !== undefined && { SVC_READ_ONLY: variable }),
          };
          const before = received.length;
          const words = ['organizations', 'add', '--org', 'acme', ...extra];
          const { code } = await svc(words, { ...setting, env });
          const isReadOnly = base !== 'neither' || variable === '1' || variable === 'true';
          const sent = received.length > before;
          expect([base, variable, extra, code === 4, sent]).toEqual([
            base,
            variable,
            extra,
            isReadOnly,
            !isReadOnly,
          ]);
          combinations += 1;
        }
      }
    }
    expect(combinations).toBeGreaterThanOrEqual(20);
  });

  it('stays read-only if its profile is replaced', async () => {
    const { svc, ways, received, direct } = await createReadOnlyUser();
    const replace = ['profiles', 'add', 'prod', '--replace', '--base-url', direct.SVC_BASE_URL];
    const secrets = ['--api-key', 'key-1', '--auth-token-file', 'token.txt', '--insecure-storage'];
    expect((await svc([...replace, ...secrets, '--no-verify'])).code).toBe(0);
    const run = await svc(['organizations', 'add', '--org', 'acme', '-o', 'json'], ways['profile']);
    expectRefusal('replaced', run);
    expect(received).toEqual([]);
  });

  it('rejects every other value of a setting instead of ignoring it', async () => {
    const { svc, home, direct, received } = await createReadOnlyUser();
    const texts = [
      'yess',
      'yes',
      'y',
      'on',
      'off',
      'no',
      'TRUE',
      'True',
      '2',
      '-1',
      ' 1',
      '1 ',
      '01',
      'null',
      '[]',
      '1,1',
    ];
    for (const text of texts) {
      for (const words of [
        ['folders', 'list', '--org', 'acme'],
        ['organizations', 'add', '--org', 'acme'],
      ]) {
        const run = await svc(words, { env: { ...direct, SVC_READ_ONLY: text } });
        expect([text, run.code, run.stderr]).toEqual([
          text,
          2,
          `svc: SVC_READ_ONLY must be 1, 0, true, or false, got '${text}'\n`,
        ]);
      }
    }
    const values = ['1', '0', '"true"', '"yes"', '""', 'null', '[]', '[true]', '{}'];
    for (const value of values) {
      await mkdir(join(home, 'odd', 'inner'), { recursive: true });
      await writeFile(join(home, 'odd', '.svc.json'), `{"readOnly":${value}}`);
      const run = await svc(['organizations', 'add', '--org', 'acme'], {
        env: direct,
        cwd: join(home, 'odd', 'inner'),
      });
      expect([value, run.code, run.stderr]).toEqual([
        value,
        2,
        expect.stringContaining('readOnly must be true, false, or "remote"'),
      ]);
      const profiles = `{"profiles":{"prod":{"baseUrl":"${direct.SVC_BASE_URL}","readOnly":${value}}}}`;
      await writeFile(join(home, '.config', 'svc', 'profiles.json'), profiles);
      const profile = await svc(['organizations', 'add', '--org', 'acme'], {
        env: { SVC_PROFILE: 'prod', SVC_API_KEY: 'k', SVC_AUTH_TOKEN: 't' },
      });
      expect([value, profile.code, profile.stderr]).toEqual([
        value,
        2,
        expect.stringContaining("profile 'prod': readOnly must be true or false"),
      ]);
      const create = () =>
        createClient({ baseUrl: 'http://127.0.0.1:1', readOnly: JSON.parse(value) });
      expect(create).toThrow('readOnly must be true or false');
    }
    expect(received).toEqual([]);
  });
});

describe('a read-only client of the library', () => {
  it('sends only operations that read, and masks their secrets', async () => {
    const service = await startTestService();
    const calls = await createValidCalls(service);
    const requests: string[] = [];
    const { apiKey, authToken, workspaceId, workspaceAuthToken } = service.credentials;
    const client = createClient({
      baseUrl: 'http://localhost',
      readOnly: true,
      apiKey,
      authToken,
      workspaceId,
      workspaceAuthToken,
      fetch: async (input, init) => {
        requests.push(String(input));
        return service.fetch(input, init);
      },
    });
    for (const entry of manifest) {
      const before = requests.length;
      const outcome = await client.call(entry.name, calls[entry.name] as never).then(
        (data) => JSON.stringify(data),
        (error: SvcError) => error,
      );
      const sent = requests.length > before;
      expect([entry.name, sent]).toEqual([entry.name, isHarmless(entry)]);
      if (isHarmless(entry)) expect([entry.name, outcome]).not.toContain(authToken);
      else expect([entry.name, (outcome as SvcError).failure]).toEqual([entry.name, 'read_only']);
    }
    const tokens = JSON.stringify(await client.call('auth-tokens.list', { apiKey }));
    expect(tokens).toContain('****');
    expect(tokens).not.toContain(authToken);
  });
});

describe('svc serve --read-only', () => {
  it.each([
    { words: ['--read-only'], variables: {} },
    { words: [], variables: { SVC_READ_ONLY: '1' } },
  ])(
    'answers reads and refuses everything else, with $words $variables',
    SLOW,
    async ({ words, variables }) => {
      const user = await newUser();
      const env = { ...user.env, ...variables };
      const serving = await startServing({ ...user, env }, ...words);
      const calls = await validData();
      const { SVC_BASE_URL: url } = serving.env;
      const headers = {
        ...serving.headers,
        'x-svc-workspace-id': serving.workspaceEnv.SVC_WORKSPACE_ID,
        'x-svc-workspace-auth-token': serving.workspaceEnv.SVC_WORKSPACE_AUTH_TOKEN,
      };
      for (const entry of manifest) {
        const body = JSON.stringify({ data: calls[entry.name] });
        const response = await fetch(url + entry.path, { method: 'POST', headers, body });
        const refused = { status: 'PERMISSION_DENIED', message: 'The service is read-only.' };
        const { error } = (await response.json()) as { readonly error?: unknown };
        if (isHarmless(entry)) expect([entry.name, error]).not.toEqual([entry.name, refused]);
        else expect([entry.name, response.status, error]).toEqual([entry.name, 403, refused]);
      }
      expect((await serving.admin('clock', { freeze: true })).status).toBe(403);
      expect((await serving.admin('faults', { clear: true })).status).toBe(403);
      expect((await serving.admin('clock')).status).toBe(200);
      expect(await serving.end('SIGTERM')).toBe(0);
    },
  );

  it('delivers no webhooks and keeps them pending', SLOW, async () => {
    const user = await newUser();
    const { env, received } = await startMockService(() => ({ status: 500, body: {} }));
    const local = async (...words: readonly string[]) => {
      const { code, stdout, stderr } = await user.svc([...words, '--local', '-o', 'json']);
      expect([words, code], stderr).toEqual([words, expect.toBeOneOf([0, 8])]);
      return stdout;
    };
    await local('webhooks', 'advanced', 'update', '--enable');
    await local('webhooks', 'endpoints', 'create', '--url', `${env.SVC_BASE_URL}/hook`);
    await local('webhooks', 'send', 'comment.add', '--via-service');
    const [{ id }] = JSON.parse(await local('local', 'deliveries', 'list'));
    await local('local', 'deliveries', 'retry', id);
    const attempts = received.length;
    const pending = await local('local', 'deliveries', 'list');
    const readOnly = await startServing(user, '--read-only');
    await setTimeout(1_500);
    expect(await local('local', 'deliveries', 'list')).toBe(pending);
    expect(await readOnly.end('SIGTERM')).toBe(0);
    expect(received).toHaveLength(attempts);
    const serving = await startServing(user);
    await eventually(async () => expect(received.length).toBeGreaterThan(attempts));
    await serving.end('SIGTERM');
  });
});
