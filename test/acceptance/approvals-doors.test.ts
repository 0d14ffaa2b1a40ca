import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isHarmless } from '../../src/catalog/harmless.ts';
import { manifest } from '../../src/catalog/manifest.ts';
import { startTestService } from '../service/test-service.ts';
import { createValidCalls } from '../service/valid-calls.ts';
import { SIGNERS } from '../signers.ts';
import { SLOW } from '../slow.ts';
import { DOORS, wordsOf } from './doors.ts';
import { newUserInProcess } from './in-process.ts';
import { failure, startMockService, success } from './mock-service.ts';
import type { Run } from './svc.ts';

/** Ways around the protection, which a refusal must not name. */
const WAYS_AROUND = /SVC_ALLOW|--yes|--show-secrets|--no-approvals|--signers|profiles update|unset/;

/** Creates a user with a counting service, and a profile that demands an approval. */
async function createUser(...flags: readonly string[]) {
  const user = await newUserInProcess();
  let adds = 0;
  const { env, received } = await startMockService(({ path }) => {
    if (!path.endsWith('/users/add')) return success({});
    adds += 1;
    return adds === 1
      ? success({ u1: { success: true, id: 'u1' } })
      : failure(429, 'RESOURCE_EXHAUSTED', 'later');
  });
  const files = {
    'token.txt': env.SVC_AUTH_TOKEN,
    signers: SIGNERS,
    'svc.yaml': 'svc: 1\nstack: acme\n',
    'x.csv': 'userId\nu1\nu2\n',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(user.home, name), text);
  const address = ['--base-url', env.SVC_BASE_URL, '--api-key', 'key-1', '--workspace-id', 'w1'];
  const secret = ['--auth-token-file', 'token.txt', '--workspace-auth-token-file', 'token.txt'];
  const add = [
    'profiles',
    'add',
    'prod',
    ...address,
    ...secret,
    '--insecure-storage',
    '--no-verify',
  ];
  const added = await user.svc([...add, ...flags]);
  expect(added.code, added.stderr).toBe(0);
  return { ...user, received, host: new URL(env.SVC_BASE_URL).host };
}

const DEMANDED = ['--approvals', '1', '--signers', 'signers'];

function expectRefusal(name: string, { code, stdout, stderr }: Run): void {
  expect([name, code, stdout], stderr).toEqual([name, 4, '']);
  const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
  expect(error, name).toMatchObject({ code: 'approval_required', exitCode: 4, retryable: false });
  expect(error.message, name).toMatch(/ accepts only approved plans .* nothing was sent$/);
  expect(stderr, name).not.toMatch(WAYS_AROUND);
}

describe('a profile that demands approvals', () => {
  it('sends no operation that writes or hands out secrets, by any door', SLOW, async () => {
    const { svc, received } = await createUser(...DEMANDED);
    const calls = await createValidCalls(await startTestService());
    let refusals = 0;
    for (const entry of manifest) {
      for (const [door, toWords] of Object.entries(DOORS)) {
        const words = toWords(entry, calls[entry.name]);
        if (!words || (isHarmless(entry) && door !== 'unknown path')) continue;
        expectRefusal(`${entry.name} by ${door}`, await svc([...words, '-o', 'json']));
        refusals += 1;
      }
    }
    for (const words of [
      ['auth-tokens', 'list', '--api-key', 'key-1', '--show-secrets'],
      ['profiles', 'show', 'prod', '--show-secrets'],
      ['apply', '--yes', '--file', 'svc.yaml'],
    ]) {
      expectRefusal(words.join(' '), await svc([...words, '-o', 'json']));
    }
    expect(received).toEqual([]);
    expect(refusals).toBeGreaterThan(4 * 26);
  });

  it('sends the other operations, and allows dry runs', async () => {
    const { svc, received } = await createUser(...DEMANDED);
    const calls = await createValidCalls(await startTestService());
    const dry = await svc(['users', 'add', '--org', 'acme', '--user', 'u1', '--dry-run']);
    expect([dry.code, received], dry.stderr).toEqual([0, []]);
    for (const entry of manifest.filter(isHarmless)) {
      const before = received.length;
      await svc([...wordsOf(entry), '--data', JSON.stringify(calls[entry.name])]);
      expect([entry.name, received.length > before]).toEqual([entry.name, true]);
    }
  });

  it('names where the protection is set, and what to do instead', async () => {
    const { svc, host } = await createUser(...DEMANDED);
    expect((await svc(['organizations', 'add', '--org', 'acme'])).stderr).toBe(
      `svc: ${host} accepts only approved plans (set by profile 'prod'), and 'organizations add' writes; nothing was sent\n` +
        'hint: to save a plan that others can approve, run svc organizations add --org acme --out plan.json; to read about approvals, run svc help approvals\n',
    );
  });

  const SECRET =
    'no plan contains a secret: run this command on a machine whose profile of the target demands no approvals';
  it.each([
    ['auth-tokens reset --api-key key-1 --yes', SECRET],
    ['workspace create --owner-email ada@example.com', SECRET],
    ['access-tokens generate --user u1', SECRET],
    [
      'webhooks config update --auth-token-file token.txt',
      'plans contain no secrets: refer to the secret in a settings file, and save a plan of that file',
    ],
    [
      'api /v2/organizations/add --data {}',
      'to save a plan of this write, use the command with --out: svc organizations add --help',
    ],
    // Flags that cannot be combined with --out.
    [
      'users add --org acme --file x.csv --rejects r.csv --results=a.csv --yes --on-error stop',
      'to save a plan that others can approve, run svc users add --org acme --file x.csv --on-error stop --out plan.json',
    ],
  ])('names what works in place of svc %s', async (line, hint) => {
    const { svc } = await createUser(...DEMANDED);
    const { code, stderr } = await svc(line.split(' '));
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining(`hint: ${hint}; to read about approvals, run svc help approvals\n`),
    ]);
  });

  it('stays so if it is replaced or renamed', async () => {
    const { svc, received, host } = await createUser(...DEMANDED);
    const address = ['--base-url', `http://${host}`, '--api-key', 'key-1'];
    const secret = ['--auth-token-file', 'token.txt', '--insecure-storage', '--no-verify'];
    const replaced = await svc(['profiles', 'add', 'prod', '--replace', ...address, ...secret]);
    expect(replaced.code, replaced.stderr).toBe(0);
    expect((await svc(['profiles', 'rename', 'prod', 'live'])).code).toBe(0);
    const run = await svc(['organizations', 'add', '--org', 'acme', '-o', 'json']);
    expectRefusal('renamed', run);
    expect(received).toEqual([]);
  });

  it('does not resume a job that was started before', async () => {
    const { svc, received } = await createUser();
    const words = ['users', 'add', '--org', 'acme', '--file', 'x.csv', '--batch-size', '1'];
    const run = await svc([...words, '--concurrency', '1', '--no-wait', '-o', 'json']);
    expect(run.code, run.stderr).toBe(11);
    expect((await svc(['profiles', 'update', 'prod', ...DEMANDED])).code).toBe(0);
    const before = received.length;
    const [job] = JSON.parse((await svc(['jobs', 'list', '-o', 'json'])).stdout);
    expectRefusal('resume', await svc(['jobs', 'resume', job.id, '-o', 'json']));
    expect(received).toHaveLength(before);
  });

  it.each([
    ['0', '{"path":"/signers","sha256":"%"}'],
    ['-1', '{"path":"/signers","sha256":"%"}'],
    ['1.5', '{"path":"/signers","sha256":"%"}'],
    ['"1"', '{"path":"/signers","sha256":"%"}'],
    ['null', '{"path":"/signers","sha256":"%"}'],
    ['false', '{"path":"/signers","sha256":"%"}'],
    ['[1]', '{"path":"/signers","sha256":"%"}'],
    ['1', '"/signers"'],
    ['1', '{"path":"/signers"}'],
    ['1', '{"path":1,"sha256":"%"}'],
    ['1', 'null'],
    ['1', '[]'],
  ])('rejects the saved values %s and %s instead of ignoring them', async (approvals, signers) => {
    const { svc, home, host, received } = await createUser();
    const digest = 'a'.repeat(64);
    const rule = `"approvals":${approvals},"signers":${signers.replace('%', digest)}`;
    const profiles = `{"current":"prod","profiles":{"prod":{"baseUrl":"http://${host}",${rule}}}}`;
    await writeFile(join(home, '.config', 'svc', 'profiles.json'), profiles);
    const run = await svc(['organizations', 'add', '--org', 'acme']);
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining("profile 'prod': ")]);
    expect(received).toEqual([]);
  });
});
