import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newUserInProcess } from './in-process.ts';
import { failure, startMockService, success } from './mock-service.ts';
import { BIN, type User } from './svc.ts';

const written = { success: true, id: 'x', message: 'User added.' };

async function entries({ svc }: User) {
  const { stdout } = await svc(['history', '-o', 'json']);
  return JSON.parse(stdout) as { command: string; outcome: string; exitCode: number }[];
}

describe('svc history', () => {
  it('lists writes with their target and outcome, without secrets and free text', async () => {
    const user = await newUserInProcess();
    const secret = randomBytes(20).toString('base64url');
    const { env } = await startMockService(({ headers, path }) => {
      if (headers['x-svc-auth-token'] !== secret)
        return failure(401, 'UNAUTHENTICATED', `no: ${secret}`);
      return path.includes('users')
        ? success({ u1: written, u2: { ...written, success: false } })
        : success([]);
    });
    const as = (token: string) => ({ env: { ...env, SVC_AUTH_TOKEN: token } });
    await user.svc(['folders', 'list', '--org', 'acme'], as(secret));
    await user.svc(['users', 'add', '--org', 'acme', '--user', 'u9', '--dry-run'], as(secret));
    await user.svc(['users', 'add', '--org', 'acme'], as(secret));
    await writeFile(join(user.home, 'users.ndjson'), '{"userId":"u1"}\n{"userId":"u2"}\n');
    await user.svc(['users', 'add', '--org', 'acme', '--file', 'users.ndjson'], as(secret));
    await user.svc(
      ['users', 'add', '--org', 'acme', '--user', 'u1', '--name', `Ann ${secret}`],
      as('wrong-token-of-mine'),
    );
    await user.svc(['organizations', 'add', '--user', 'none'], as(secret));
    await user.svc(['users', 'add', '--org', 'acme', '--user', 'u1'], {
      env: { ...as(secret).env, SVC_HISTORY: '0' },
    });
    expect(await entries(user)).toMatchObject([
      {
        command: 'svc users add --org acme --file users.ndjson',
        host: new URL(env.SVC_BASE_URL).host,
        profile: null,
        records: { total: 2, succeeded: 1, failed: 1 },
        outcome: 'records_failed',
        exitCode: 10,
      },
      {
        command: 'svc users add --org acme --user u1 --name …',
        outcome: 'unauthenticated',
        exitCode: 4,
      },
    ]);
    const text = await readFile(
      join(user.home, '.local', 'state', 'svc', 'history', 'history.ndjson'),
      'utf8',
    );
    expect(text).not.toContain(secret);
    expect(text).not.toContain('Ann');
  });

  it('lists issued access tokens by user and resources, whose effective access the command names', async () => {
    const user = await newUserInProcess();
    const token = randomBytes(40).toString('base64url');
    const { env } = await startMockService(() => success({ token }));
    const end = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 3_600_000).toISOString();
    const resources = [
      'type=organization,id=acme',
      `type=document,id=d1,org=acme,role=viewer,expires=${end}`,
      'type=folder,id=f1,org=acme,expires=72h',
    ];
    const who = ['--user', 'u1', '--name', 'Ada', '--email', 'ada@example.com'];
    const generate = [
      'access-tokens',
      'generate',
      ...who,
      ...resources.flatMap((one) => ['--resource', one]),
    ];
    const run = await user.svc([...generate, '-o', 'json'], { env });
    expect([run.code, JSON.parse(run.stdout)]).toEqual([0, { token }]);
    const notes = run.stderr.trimEnd().split('\n');
    expect(notes.map((line) => JSON.parse(line).note.message)).toEqual([
      'Granted editor (the default role) on organization acme until the token expires in 48 hours',
      `Granted viewer on document d1 of acme until ${end}`,
      'Granted editor (the default role) on folder f1 of acme until the token expires in 48 hours',
    ]);
    await user.svc([...generate, '--dry-run'], { env });
    const { stdout } = await user.svc(['history', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject([
      { ids: ['u1', 'acme', 'd1', 'f1'], calls: 1, outcome: 'done' },
    ]);
    expect(stdout).not.toContain(token);
    expect(stdout).not.toContain('Ada');
  });

  it('lists an interrupted write', async () => {
    const user = await newUserInProcess();
    const { env, received } = await startMockService(() => undefined);
    const words = ['webhooks', 'config', 'update', '--enable'];
    // Without the read of the values that the update replaces.
    const variables = { ...user.env, ...env, SVC_UNDO: '0' };
    const child = spawn(process.execPath, [BIN, ...words], { cwd: user.home, env: variables });
    await expect.poll(() => received.length).toBe(1);
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([130, null]);
    expect(await entries(user)).toMatchObject([{ outcome: 'interrupted', exitCode: 130 }]);
  });

  it('fails no command if the history cannot be written', async () => {
    const user = await newUserInProcess();
    const { env } = await startMockService(() => success({ u1: written }));
    const blocked = { ...env, XDG_STATE_HOME: '/dev/null' };
    const run = await user.svc(['users', 'add', '--org', 'acme', '--user', 'u1', '-q'], {
      env: blocked,
    });
    expect(run).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^warning: the command was not recorded in the history: .*\n$/),
    });
  });

  it('has one line for each of many concurrent commands', async () => {
    const user = await newUserInProcess();
    const { env } = await startMockService(({ body }) => {
      const [record] = body.data['users'] as { userId: string }[];
      return success({ [record?.userId ?? '']: written });
    });
    const ids = Array.from({ length: 12 }, (_, index) => `u${index}`);
    await Promise.all(
      ids.map((id) => user.svc(['users', 'add', '--org', 'acme', '--user', id], { env })),
    );
    const found = (await entries(user)).map(({ command }) => command.split(' ').at(-1) ?? '');
    expect(found.sort()).toEqual(ids.sort());
    expect(await readdir(join(user.home, '.local', 'state', 'svc', 'history'))).toEqual([
      'history.ndjson',
    ]);
  });
});

it('auth status reports an unfinished reset', async () => {
  const user = await newUserInProcess();
  const { env } = await startMockService((_, response) => void response.destroy());
  const workspace = {
    SVC_WORKSPACE_ID: 'w',
    SVC_WORKSPACE_AUTH_TOKEN: randomBytes(20).toString('base64url'),
  };
  const run = await user.svc(['auth-tokens', 'reset', '--api-key', 'K', '--yes'], {
    env: { ...env, ...workspace },
  });
  expect(run.code).toBe(9);
  const { stdout } = await user.svc(['whoami', '--all', '-o', 'json'], { env });
  expect(JSON.parse(stdout).at(-1)).toMatchObject({
    setting: 'recovery',
    value: 'token reset of API key K is unfinished (svc auth-tokens recover)',
  });
});
