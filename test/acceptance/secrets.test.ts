import { randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SLOW } from '../slow.ts';
import { newUserInProcess, runInProcess } from './in-process.ts';
import { failure, type ReceivedRequest, startMockService, success } from './mock-service.ts';
import { newUser, type Run, type User } from './svc.ts';

/** Secret with characters that encodings treat specially. */
const newSecret = () => `tok+/=&" ${randomBytes(12).toString('base64')}`;

/** Returns all encodings of a secret. */
function listEncodings(secret: string): readonly string[] {
  const shifted = [0, 1, 2].map((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
    return bytes.toString('base64').slice(offset && offset + 1, Math.floor((bytes.length * 4) / 3));
  });
  const escaped = JSON.stringify(secret).slice(1, -1);
  return [
    secret,
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('base64url'),
    ...shifted,
    Buffer.from(secret).toString('hex'),
    encodeURIComponent(secret),
    encodeURIComponent(secret).replace(/%../g, (hex) => hex.toLowerCase()),
    new URLSearchParams({ s: secret }).toString().slice(2),
    escaped,
    escaped.replaceAll('/', '\\/'),
    JSON.stringify(escaped).slice(1, -1),
  ];
}

/** Returns the request headers in every form in which a service might repeat them. */
function echoHeaders({ headers }: ReceivedRequest): string {
  const secrets = ['x-svc-auth-token', 'x-svc-workspace-auth-token'].flatMap(
    (name) => headers[name] ?? [],
  );
  return secrets.flatMap((secret) => listEncodings(String(secret))).join(' | ');
}

/** Error responses of the service, by the requested organization. */
const ANSWERS: Readonly<
  Record<string, (received: ReceivedRequest) => { status?: number; body: unknown }>
> = {
  fine: () => success([]),
  refused: (received) => failure(401, 'UNAUTHENTICATED', `bad credential ${echoHeaders(received)}`),
  forbidden: (received) => failure(403, `NO ${echoHeaders(received)}`, echoHeaders(received)),
  odd: (received) => ({ body: { [echoHeaders(received)]: echoHeaders(received) } }),
  page: (received) => ({ status: 502, body: `<html>${echoHeaders(received)}</html>` }),
  issues: (received) => ({
    status: 400,
    body: {
      error: {
        status: 'INVALID_ARGUMENT',
        message: 'no',
        details: {
          issues: [{ code: 'x', path: [echoHeaders(received)], message: echoHeaders(received) }],
        },
      },
    },
  }),
  items: (received) =>
    success({
      a: { success: false, message: echoHeaders(received), code: echoHeaders(received) },
      b: { success: true, id: 'x', message: echoHeaders(received) },
    }),
  details: (received) => ({
    status: 500,
    body: {
      error: {
        status: 'INTERNAL',
        message: echoHeaders(received),
        details: [
          { success: false, message: echoHeaders(received), code: 'not-found' },
          { success: true },
        ],
      },
    },
  }),
};

const READS = ['fine', 'refused', 'forbidden', 'odd', 'page', 'issues'].map((org) => [
  'folders',
  'list',
  '--org',
  org,
]);
const LOOKS = [
  ['-o', 'json'],
  ['-o', 'yaml'],
  ['-o', 'csv'],
  ['--debug'],
  ['--verbose'],
  ['--dry-run'],
];
const BULKS = ['items', 'details', 'refused', 'odd'].map((org) => [
  'users',
  'add',
  '--org',
  org,
  '--file',
  'users.json',
  '--rejects',
  `${org}.rejects`,
  '--results',
  `${org}.results`,
]);
const OTHERS: readonly (readonly string[])[] = [
  ['workspace', 'get', '--debug'],
  ['whoami', '--all', '-o', 'json'],
  ['profiles', 'show', '-o', 'json'],
  ['profiles', 'list'],
  ['api', '/v2/some/path', '--debug', '--data', '{"organizationId":"refused"}'],
  ['folders', 'list', '--org', 'fine', '--base-url', 'http://127.0.0.1:9', '--debug'],
  ['users', 'add', '--org', 'items', '--file', 'missing.json', '--debug'],
];

const COMMANDS = [
  ...READS.flatMap((words) => LOOKS.map((look) => [...words, ...look])),
  ...BULKS.flatMap((words) => [words, [...words, '--debug']]),
  ...OTHERS,
];

/**
 * Whether a command runs in a process of its own, like one of each kind. All others run in the
 * process of the test.
 */
const isProcess = (words: readonly string[]) =>
  words.includes('--debug') &&
  ['forbidden', 'items', 'workspace'].some((word) => words.includes(word));

/** Returns the text of every file in a folder. */
async function readTexts(folder: string): Promise<readonly (readonly [string, string])[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(paths.map(async (path) => [path, await readFile(path, 'latin1')] as const));
}

function expectNoSecrets(secrets: readonly string[], text: string, where: string): void {
  for (const form of secrets.flatMap(listEncodings)) {
    if (text.includes(form)) throw new Error(`${where} holds ${form}:\n${text}`);
  }
}

async function runAll({
  svc,
  env,
  home,
}: User): Promise<readonly { readonly words: readonly string[]; readonly run: Run }[]> {
  const done: { words: readonly string[]; run: Run }[] = [];
  for (const words of COMMANDS) {
    const all = [...words, '--no-wait', '--retry-for', '0s'];
    done.push({
      words,
      run: isProcess(words) ? await svc(all) : await runInProcess(all, { env, cwd: home }),
    });
  }
  return done;
}

/** Creates a user whose profile holds two secrets, and a service that repeats its input. */
async function createEchoUser([authToken, workspaceAuthToken]: readonly [
  string,
  string,
]): Promise<User> {
  const user = await newUser();
  const { env } = await startMockService((received) => {
    const { organizationId } = received.body.data;
    const answer = ANSWERS[String(organizationId)] ?? ANSWERS['refused'];
    return answer?.(received);
  });
  const ids = ['--base-url', env.SVC_BASE_URL, '--api-key', 'key-1', '--workspace-id', 'w'];
  const secrets = [
    '--auth-token-stdin',
    '--workspace-auth-token-file',
    'workspace',
    '--insecure-storage',
    '--no-verify',
  ];
  await writeFile(join(user.home, 'workspace'), workspaceAuthToken);
  const added = await user.svc(['profiles', 'add', 'prod', ...ids, ...secrets], {
    stdin: authToken,
  });
  expect(added.code, added.stderr).toBe(0);
  await writeFile(join(user.home, 'workspace'), '');
  await writeFile(join(user.home, 'users.json'), '[{"userId":"a"},{"userId":"b"}]');
  return user;
}

it(
  'the credentials of a command appear in no output and only in their own files',
  SLOW,
  async ({ annotate }) => {
    const secrets = [newSecret(), newSecret()] as const;
    const user = await createEchoUser(secrets);
    const runs = await runAll(user);
    for (const { words, run } of runs)
      expectNoSecrets(secrets, run.stdout + run.stderr, words.join(' '));
    const texts = await readTexts(user.home);
    for (const [path, text] of texts)
      if (!path.endsWith('/secrets.json')) expectNoSecrets(secrets, text, path);
    await annotate(
      `${runs.length} commands and ${texts.length} files, ${secrets.flatMap(listEncodings).length} forms`,
    );
    // The output contains redacted secrets:
    expect(runs.map(({ run }) => run.code)).toEqual(expect.arrayContaining([0, 2, 3, 4, 8, 9, 10]));
    expect(runs.filter(({ run }) => run.stderr.includes('****')).length).toBeGreaterThan(20);
    expect(texts.filter(([path]) => /\.(rejects|results)/.test(path)).length).toBeGreaterThan(4);
    const kept = texts.find(([path]) => path.endsWith('/secrets.json'));
    expect(kept?.[1]).toContain(JSON.stringify(secrets[0]));
  },
);

describe('a crash', () => {
  /** Makes every `fetch` throw an error that repeats the headers. */
  const preload = (fault: string) => `data:text/javascript,${encodeURIComponent(fault)}`;
  const FAULTS = {
    'in a command': `
      const { stringify } = JSON;
      JSON.stringify = (value, ...rest) => {
        if (value?.data?.organizationId === 'acme') throw new TypeError('cannot write ' + process.env.SVC_AUTH_TOKEN);
        return stringify(value, ...rest);
      };`,
    'in a timer': `setTimeout(() => { throw new Error('late ' + process.env.SVC_AUTH_TOKEN) }, 150);
      setTimeout(() => undefined, 5_000);`,
    'in an unhandled promise': `
      setTimeout(() => Promise.reject(new Error('late ' + process.env.SVC_AUTH_TOKEN)), 150);
      setTimeout(() => undefined, 5_000);`,
  };

  it.each(Object.entries(FAULTS))(
    '%s exits with 1 and does not repeat a secret',
    SLOW,
    async (_, fault) => {
      const { svc } = await newUser();
      const { env } = await startMockService(() => undefined);
      const secret = newSecret();
      const variables = {
        ...env,
        SVC_AUTH_TOKEN: secret,
        NODE_OPTIONS: `--import "${preload(fault)}"`,
      };
      for (const more of [[], ['--debug'], ['-o', 'json']]) {
        const run = await svc(['folders', 'list', '--org', 'acme', ...more], { env: variables });
        expect(run.code, run.stderr).toBe(1);
        expect(run.stderr).toContain('unexpected error: ');
        expect(run.stderr).toContain('****');
        expectNoSecrets([secret], run.stdout + run.stderr, more.join(' '));
      }
    },
  );
});

it('a secret in the text of --data is rejected and not printed, but taken from a file', async () => {
  const { svc, home } = await newUserInProcess();
  const secret = 'not-for-arguments';
  const data = JSON.stringify({ webhookServiceConfig: { authToken: secret } });
  await writeFile(join(home, 'data.json'), data);
  for (const words of [
    ['webhooks', 'config', 'update'],
    ['api', '/v2/workspace/webhookconfig/update'],
  ]) {
    const refused = await svc([...words, '--local', '--data', data]);
    expect([refused.code, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toContain('webhookServiceConfig.authToken');
    expect(refused.stderr).not.toContain(secret);
    expect(await svc([...words, '--local', '--data', '@data.json'])).toMatchObject({ code: 0 });
  }
});

it('a masked secret never replaces the real one', async () => {
  const { svc, home } = await newUserInProcess();
  const provider = (...words: readonly string[]) =>
    svc(['permission-provider', ...words, '--local', '-o', 'json']);
  const url = ['--enable', '--permission-provider-url', 'https://example.com/permissions'];
  for (const secret of ['short-secret', 'a secret of more than 20 characters']) {
    await writeFile(join(home, 'token'), secret);
    expect(await provider('update', ...url, '--auth-token-file', 'token')).toMatchObject({
      code: 0,
    });
    await writeFile(join(home, 'shown.json'), (await provider('get')).stdout);
    const refused = await provider('update', '--data', '@shown.json');
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('--show-secrets')]);
    const { stdout } = await provider('get', '--show-secrets');
    expect(JSON.parse(stdout).permissionProviderConfig.authToken).toBe(secret);
    await writeFile(join(home, 'complete.json'), stdout);
    expect(await provider('update', '--data', '@complete.json')).toMatchObject({ code: 0 });
  }
});
