import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newUserInProcess } from './in-process.ts';
import { failure, startMockService, success } from './mock-service.ts';
import { HOME, newUser } from './svc.ts';

interface User {
  readonly userId: string;
}

const example = (name: string) => join(HOME, 'examples', name);
const usersOf = (data: Readonly<Record<string, unknown>>) => data['users'] as readonly User[];
const allAdded = (users: readonly User[]) =>
  success(
    Object.fromEntries(
      users.map(({ userId }) => [
        userId,
        { success: true, id: 'f'.repeat(32), message: 'User added.' },
      ]),
    ),
  );

describe('svc users add against the embedded service', () => {
  it('prints the same result when it is repeated', async () => {
    const { svc, start } = await newUserInProcess();
    const words = [
      'users',
      'add',
      '--local',
      '--org',
      'acme',
      '--file',
      example('users.json'),
      '-o',
      'json',
    ];
    for (const run of [await start(words).ended, await svc(words)]) {
      expect(run.code, run.stderr).toBe(0);
      expect(JSON.parse(run.stdout)).toMatchObject({
        operation: 'users.add',
        total: 10,
        succeeded: 10,
        failed: 0,
      });
    }
  });
});

describe('svc users add over the network', () => {
  it.each(['users.json', 'users.ndjson', 'users.csv', 'users.yaml'])(
    'sends the content of %s with IDs as text',
    async (name) => {
      const { svc } = await newUserInProcess();
      const { env, received } = await startMockService(({ body }) => allAdded(usersOf(body.data)));
      const run = await svc(
        ['users', 'add', '--org', 'acme', '--file', example(name), '-o', 'json'],
        { env },
      );
      expect(run.code, run.stderr).toBe(0);
      expect(received).toHaveLength(1);
      const [request] = received;
      expect(request).toMatchObject({
        path: '/v1/users/add',
        headers: { 'x-svc-api-key': 'key-1', 'x-svc-auth-token': 'token-of-the-key-0001' },
        body: { data: { organizationId: 'acme' } },
      });
      expect(request?.headers).not.toHaveProperty('authorization');
      const expected: { users?: readonly User[] } | readonly User[] = JSON.parse(
        await readFile(example('users.json'), 'utf8'),
      );
      expect(usersOf(request?.body.data ?? {})).toEqual(
        'users' in expected ? expected.users : expected,
      );
    },
  );

  it('reads a pipe and splits many users into batches', async () => {
    const { svc } = await newUser();
    const { env, received } = await startMockService(({ body }) => allAdded(usersOf(body.data)));
    const stdin = Array.from({ length: 25 }, (_, at) => JSON.stringify({ userId: `u${at}` })).join(
      '\n',
    );
    const words = [
      'users',
      'add',
      '--org',
      'acme',
      '--file',
      '-',
      '--input-format',
      'ndjson',
      '--batch-size',
      '10',
    ];
    const run = await svc([...words, '-o', 'json'], { env, stdin });
    expect(JSON.parse(run.stdout)).toMatchObject({ total: 25, succeeded: 25, requests: 3 });
    expect(received.map(({ body }) => usersOf(body.data).length).sort()).toEqual([10, 10, 5]);
  });

  it('exits with 10 if some records fail, and importing the fixed rejects adds the rest', async () => {
    const { svc, home } = await newUserInProcess();
    await writeFile(join(home, 'team.csv'), 'userId,name\nu1,Ada\nu2,"Grace, Hopper"\nu3,Mary\n');
    let refuse = true;
    const { env, received } = await startMockService(({ body }) =>
      success(
        Object.fromEntries(
          usersOf(body.data).map(({ userId }) =>
            userId === 'u2' && refuse
              ? [userId, { success: false, message: 'no such luck', code: 'internal' }]
              : [userId, { success: true }],
          ),
        ),
      ),
    );
    const words = ['users', 'add', '--org', 'acme', '-o', 'json', '--file'];
    const run = await svc([...words, 'team.csv'], { env });
    expect(run.code).toBe(10);
    const summary = JSON.parse(run.stdout);
    expect(summary).toMatchObject({ total: 3, succeeded: 2, failed: 1, unknown: 0, skipped: 0 });
    expect(summary.failures).toEqual([
      { id: 'u2', line: 3, message: 'no such luck', code: 'internal' },
    ]);
    expect(await readFile(join(home, summary.rejects), 'utf8')).toBe(
      'userId,name\nu2,"Grace, Hopper"\n',
    );
    refuse = false;
    const again = await svc([...words, summary.rejects], { env });
    expect(again.code, again.stderr).toBe(0);
    expect(received.at(-1)?.body.data).toEqual({
      organizationId: 'acme',
      users: [{ userId: 'u2', name: 'Grace, Hopper' }],
    });
  });

  it('counts only true as success, and an ID missing from the response as unknown (9)', async () => {
    const { svc } = await newUserInProcess();
    const { env } = await startMockService(() =>
      success({ u1: { success: 'true' }, u2: { success: true }, other: { success: true } }),
    );
    const stdin = '[{"userId":"u1"},{"userId":"u2"},{"userId":"u3"}]';
    const run = await svc(
      ['users', 'add', '--org', 'acme', '--file', '-', '--input-format', 'json', '-o', 'json'],
      {
        env,
        stdin,
      },
    );
    expect(run.code).toBe(9);
    expect(JSON.parse(run.stdout)).toMatchObject({
      total: 3,
      succeeded: 1,
      failed: 1,
      unknown: 1,
      skipped: 0,
    });
  });

  it('accepts IDs that are names of JavaScript properties', async () => {
    const { svc } = await newUserInProcess();
    const { env } = await startMockService(({ body }) => ({
      body: JSON.parse(
        `{"result":{"status":"success","message":"","data":{${usersOf(body.data).map(({ userId }) => `"${userId}":{"success":true}`)}}}}`,
      ),
    }));
    const stdin =
      '[{"userId":"__proto__"},{"userId":"constructor"},{"userId":"10"},{"userId":"9"}]';
    const words = [
      'users',
      'add',
      '--org',
      'acme',
      '--file',
      '-',
      '--input-format',
      'json',
      '-o',
      'json',
    ];
    expect(JSON.parse((await svc(words, { env, stdin })).stdout)).toMatchObject({
      total: 4,
      succeeded: 4,
    });
  });

  it('explains a rejected credential with exit code 4', async () => {
    const { svc } = await newUserInProcess();
    const { env } = await startMockService(() =>
      failure(401, 'UNAUTHENTICATED', 'Invalid auth token.'),
    );
    const run = await svc(['users', 'add', '--org', 'acme', '--user', 'u1'], { env });
    expect(run).toMatchObject({ code: 4, stdout: '' });
    expect(run.stderr).toContain('Invalid auth token. (UNAUTHENTICATED)');
    expect(run.stderr).not.toContain(env.SVC_AUTH_TOKEN);
  });

  it('prints the requests with --dry-run and sends nothing', async () => {
    const { svc } = await newUserInProcess();
    const { env, received } = await startMockService(() => success({}));
    const run = await svc(
      ['users', 'add', '--org', 'acme', '--user', 'u1', '--name', 'Ada', '--dry-run'],
      { env },
    );
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({
      method: 'POST',
      url: `${env.SVC_BASE_URL}/v1/users/add`,
      body: { data: { organizationId: 'acme', users: [{ userId: 'u1', name: 'Ada' }] } },
    });
    expect(run.stdout).not.toContain(env.SVC_AUTH_TOKEN);
    expect(received).toEqual([]);
  });
});

describe('errors', () => {
  it.each([
    [
      'a truncated array',
      'users.json',
      '[{"userId":"u1"},\n {"userId":"u2"}',
      /^svc: users\.json:2:\d+: /,
    ],
    ['a numeric ID', 'users.json', '[\n{"userId": 123}]', /^svc: users\.json:2.*userId/],
    ['an unclosed quote', 'users.csv', 'userId,name\nu1,"Ada\n', /^svc: users\.csv:2/],
    ['a duplicate header', 'users.csv', 'userId,userId\nu1,u2\n', /^svc: users\.csv:1/],
    [
      'a duplicate ID',
      'users.ndjson',
      '{"userId":"u1"}\n{"userId":"u1"}\n',
      /^svc: users\.ndjson:2.*1/,
    ],
    ['a missing ID', 'users.yaml', '- name: Ada\n', /^svc: users\.yaml:1.*userId/],
    [
      'an invalid byte',
      'users.ndjson',
      Buffer.from('7b22757365724964223a22ff227d', 'hex'),
      /^svc: users\.ndjson:1:12: byte 0xff/,
    ],
  ])(
    'in %s are reported with file and line, and nothing is sent',
    async (_, name, content, message) => {
      const { svc, home } = await newUserInProcess();
      const { env, received } = await startMockService(() => success({}));
      await writeFile(join(home, name), content);
      const run = await svc(['users', 'add', '--org', 'acme', '--file', name], { env });
      expect(run).toMatchObject({ code: 3, stdout: '' });
      expect(run.stderr).toMatch(message);
      expect(run.stderr).not.toMatch(/\bat .*\.js/);
      expect(received).toEqual([]);
      expect(await readdir(home)).toEqual(
        expect.not.arrayContaining([expect.stringContaining('reject')]),
      );
    },
  );

  it.each([
    [
      ['users', 'ad'],
      2,
      /unknown command 'ad'\nhint: did you mean 'svc users add --org <id> --user <id>'\?/,
    ],
    [['users', 'add', '--fiel', 'x'], 2, /unknown flag '--fiel'\nhint: did you mean '--file'\?/],
    [['users', 'add', '--local', '--user', 'u1'], 2, /--org is required/],
    [['users', 'add', '--local', '--org', 'acme'], 2, /no users|nothing/],
    [
      ['users', 'add', '--local', '--org', 'acme', '--user', 'u1', '--user', 'u2'],
      2,
      /--user can be given only once/,
    ],
    [['users', 'add', '--local', '--org', 'acme', '--file', 'nowhere.json'], 2, /nowhere\.json/],
    [['users', 'add', '--local', '--org', 'acme', '--data', '@nowhere.json'], 2, /nowhere\.json/],
    [
      [
        'profiles',
        'add',
        'p',
        '--base-url',
        'https://a.b',
        '--api-key',
        'k',
        '--auth-token-file',
        'no',
      ],
      2,
      /file not found: .*no/,
    ],
    [['users', 'add', '--org', 'acme', '--user', 'u1'], 4, /--local/],
    [
      ['users', 'add', '--local', '--org', 'a', '--document', 'd', '--folder', 'f', '--user', 'u'],
      2,
      /--document or --folder/,
    ],
    [['documents', 'list', '--local', '--org', 'acme', '--page-size', 'many'], 2, /--page-size/],
    [['documents', 'list', '--local', '--org', 'acme', '-o', 'xml'], 2, /xml/],
    [['auth-tokens', 'reset', '--local', '--api-key', 'k'], 2, /--yes/],
    [['workspace', 'get', '--base-url', 'ftp://example.com'], 2, /http/],
  ])('svc %j ends with %i', async (words, code, message) => {
    const { svc } = await newUserInProcess();
    const run = await svc(words as string[]);
    expect({ code: run.code, stdout: run.stdout }).toEqual({ code, stdout: '' });
    expect(run.stderr).toMatch(message as RegExp);
    expect(run.stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
  });

  it('are one JSON object on stderr with -o json', async () => {
    const { svc } = await newUserInProcess();
    await svc(['organizations', 'add', '--local', '--org', 'acme']);
    const run = await svc([
      'folders',
      'list',
      '--local',
      '--org',
      'acme',
      '--folder',
      'nope',
      '-o',
      'json',
    ]);
    expect(run).toMatchObject({ code: 5, stdout: '' });
    expect(JSON.parse(run.stderr)).toMatchObject({
      error: {
        code: 'not_found',
        exitCode: 5,
        status: 'NOT_FOUND',
        message: 'Folder not found.',
        retryable: false,
      },
    });
  });
});
