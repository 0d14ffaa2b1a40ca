import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newUserInProcess } from './in-process.ts';
import { startMockService, success } from './mock-service.ts';
import { startTerminal } from './terminal.ts';

const ADD_USER = [
  'users',
  'add',
  '--org',
  'acme',
  '--user',
  'u1',
  '--name',
  'Ada',
  '--email',
  'ada@example.com',
];
const ADDED = success({ u1: { success: true, id: 'x', message: 'User added.' } });

/** All ways to write: each effect, a job, and an unknown path. */
const WRITES: readonly (readonly string[])[] = [
  ADD_USER,
  ['users', 'add', '--org', 'acme', '--file', 'users.json'],
  ['auth-tokens', 'reset', '--api-key', 'K'],
  ['webhooks', 'endpoints', 'delete', 'ep_1'],
  ['webhooks', 'config', 'update', '--enable'],
  ['api', '/v2/users/add', '--data', '{"organizationId":"acme","users":[]}'],
  ['api', '/v2/some/new/path'],
];

/** Creates a user with one profile, its service, and a file of users. */
async function createUser(...flags: readonly string[]) {
  const user = await newUserInProcess();
  const { env, received } = await startMockService(({ path }) =>
    path.includes('/users/') ? ADDED : success([]),
  );
  const base = [
    'profiles',
    'add',
    'prod',
    '--base-url',
    env.SVC_BASE_URL,
    '--api-key',
    'key-1',
    ...flags,
  ];
  const files = {
    'token.txt': 'token-of-prod',
    'workspace.txt': 'token-of-workspace',
    'users.json': '[{"userId":"u1"}]',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(user.home, name), text);
  const secrets = [
    '--auth-token-file',
    'token.txt',
    '--workspace-auth-token-file',
    'workspace.txt',
  ];
  const added = await user.svc([
    ...base,
    '--workspace-id',
    'w-1',
    ...secrets,
    '--insecure-storage',
    '--no-verify',
  ]);
  expect(added.code, added.stderr).toBe(0);
  return { ...user, received, host: new URL(env.SVC_BASE_URL).host };
}

describe('a protected profile', () => {
  it('allows no writes in a script without SVC_ALLOW, with or without --yes', async () => {
    const { svc, received } = await createUser('--protected');
    const tries = WRITES.flatMap((words) => [
      { words: [...words, '--yes'], env: {} },
      { words: [...words, '--yes'], env: { SVC_ALLOW: 'other' } },
      { words, env: { SVC_ALLOW: 'prod' } },
    ]);
    for (const { words, env } of tries) {
      const run = await svc(words, { env });
      expect([words, run.code, run.stderr]).toEqual([
        words,
        2,
        "svc: profile 'prod' is protected; nothing was sent\n" +
          'hint: to read about protected profiles, run svc help read-only\n',
      ]);
    }
    expect(received).toEqual([]);
  });

  it('allows reads and dry runs, and writes with --yes and its name', async () => {
    const { svc, received } = await createUser('--protected');
    expect((await svc(['folders', 'list', '--org', 'acme'])).code).toBe(0);
    expect((await svc(['api', '/v2/agents/get'])).code).toBe(0);
    expect((await svc([...ADD_USER, '--dry-run'])).code).toBe(0);
    expect(received).toHaveLength(2);
    const { code, stderr } = await svc([...ADD_USER, '--yes'], { env: { SVC_ALLOW: 'prod' } });
    expect(code, stderr).toBe(0);
    expect(received).toHaveLength(3);
  });

  it('asks for its name at a terminal, and a wrong name sends nothing', async () => {
    const { env, received, host } = await createUser('--protected');
    for (const [typed, code] of [
      ['prd', 2],
      ['prod', 0],
    ] as const) {
      const screen = startTerminal(ADD_USER, env);
      await screen.shows(`profile prod, ${host}`);
      screen.type(`${typed}\r`);
      expect(await screen.ended, screen.screen()).toBe(code);
    }
    expect(received).toHaveLength(1);
  });

  it('does not apply to the embedded service', async () => {
    const { svc } = await createUser('--protected');
    expect((await svc([...ADD_USER, '--local'])).code).toBe(0);
  });
});

describe('a confirmation before a write', () => {
  it('names the profile and the host', async () => {
    const { svc, received, host } = await createUser();
    const { stderr } = await svc(['webhooks', 'endpoints', 'delete', 'ep_1']);
    expect(stderr).toContain(`(profile prod, ${host})`);
    expect(received).toEqual([]);
  });

  it('names the embedded service', async () => {
    const { svc } = await newUserInProcess();
    expect((await svc(['webhooks', 'endpoints', 'delete', 'ep_1', '--local'])).stderr).toContain(
      '(embedded service)',
    );
  });
});
