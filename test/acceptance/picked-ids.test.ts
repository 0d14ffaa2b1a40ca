import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SLOW } from '../slow.ts';
import { startDialogue, startDialogueInProcess } from './dialogue.ts';
import { runInProcess } from './in-process.ts';
import { failure, startMockService, success } from './mock-service.ts';
import { newUser } from './svc.ts';

describe('a missing required ID', () => {
  async function createUser() {
    const user = await newUser();
    for (const org of ['acme', 'globex'])
      expect(
        await runInProcess(['users', 'add', '--local', '--org', org, '--user', `of-${org}`], user),
      ).toMatchObject({
        code: 0,
      });
    return user;
  }
  const DATA = ['users', 'data', '--local', '-o', 'json'];

  it('is picked on a terminal from the known IDs, which typed text filters', async () => {
    const { env } = await createUser();
    const screen = startDialogue(DATA, env);
    await screen.answer('Organization ID (--org)', 'acm');
    await screen.shows('acm');
    await screen.answer('❯ acme', '\r');
    await screen.answer('User ID (--user)', 'someone');
    await screen.answer('❯ someone', '\r');
    expect(await screen.ended, screen.text()).toBe(0);
    expect(screen.text()).toContain('"comments": []');
  });

  it('is picked from the records of the store with --local', async () => {
    const { env, home } = await createUser();
    const user = { env, home };
    await runInProcess(['local', 'reset', '--yes'], user);
    await runInProcess(['users', 'add', '--local', '--org', 'initech', '--user', 'u1'], user);
    const screen = startDialogueInProcess(DATA, env);
    await screen.shows('❯ initech');
    expect(screen.text()).not.toMatch(/acme|globex/);
    screen.type('\r');
    await screen.shows('User ID (--user)');
    await screen.shows('❯ u1');
    screen.type('\r');
    expect(await screen.ended, screen.text()).toBe(0);
  });

  it('is picked by number or name in accessibility mode', async () => {
    const { env } = await createUser();
    const screen = startDialogue(DATA, { ...env, ACCESSIBLE: '1' }, 40);
    await screen.answer('2. acme', 'glob\r');
    await screen.answer('1. globex', '1\r');
    await screen.answer('User ID (--user)', 'of-globex\r');
    expect(await screen.ended, screen.text()).toBe(0);
    expect(screen.movesCursor()).toBe(false);
  });

  it('is picked for a file only if its records do not contain it', SLOW, async () => {
    const { env, home } = await createUser();
    const path = join(home, 'users.csv');
    const words = ['users', 'add', '--local', '--file', path];
    await writeFile(path, 'userId,organizationId\nu1,globex\nu2,acme\n');
    const named = startDialogue(words, env);
    expect(await named.ended, named.text()).toBe(0);
    expect(named.text()).not.toContain('Organization ID');
    await writeFile(path, 'userId\nu3\n');
    const screen = startDialogue(words, env);
    await screen.answer('Organization ID (--org)', 'acm');
    await screen.answer('❯ acme', '\r');
    expect(await screen.ended, screen.text()).toBe(0);
    expect(screen.text()).toContain('Added user u3 to acme');
  });

  it('is an error in CI, with --no-input, and if none are known', async () => {
    const { env, home } = await createUser();
    for (const [words, more] of [
      [DATA, { CI: '1' }],
      [[...DATA, '--no-input'], {}],
      [[...DATA, '--store', join(home, 'empty.sqlite')], {}],
    ] as const) {
      const screen = startDialogue(words, { ...env, ...more });
      expect(await screen.ended, screen.text()).toBe(2);
      expect(screen.text()).toContain('--org is required');
    }
  });
});

describe('svc jobs resume without an ID', () => {
  it('resumes the only stopped job, and asks if there are several', SLOW, async () => {
    const user = await newUser();
    let isDown = true;
    const { env } = await startMockService(({ body }) => {
      const [{ userId }] = body.data['users'] as [{ userId: string }];
      if (isDown && userId === 'u2') return failure(403, 'PERMISSION_DENIED', 'Not now.');
      return success({ [userId]: { success: true, message: 'User added.' } });
    });
    const all = { ...user.env, ...env };
    await writeFile(join(user.home, 'users.csv'), 'userId\nu1\nu2\n');
    const svc = (...words: readonly string[]) => runInProcess(words, { env: all, cwd: user.home });
    const stopJob = async () => {
      isDown = true;
      const add = [
        'users',
        'add',
        '--org',
        'acme',
        '--file',
        'users.csv',
        '--batch-size',
        '1',
        '--concurrency',
        '1',
      ];
      expect(await svc(...add)).toMatchObject({ code: 11 });
      isDown = false;
    };
    const none = await svc('jobs', 'resume');
    expect(none).toMatchObject({
      code: 2,
      stderr: 'svc: no job is stopped\nhint: to list all jobs, run svc jobs list\n',
    });
    await stopJob();
    const resumed = await svc('jobs', 'resume');
    expect(resumed.stderr).toMatch(/^resuming job \S+ \(users\.add, .*users\.csv\)\n/);
    expect(resumed).toMatchObject({ code: 0 });
    await stopJob();
    await stopJob();
    const several = await svc('jobs', 'resume');
    expect(several.stderr).toContain('svc: specify a job: 2 jobs are stopped\n');
    expect(several.code).toBe(2);
    const screen = startDialogue(['jobs', 'resume'], all, 200);
    await screen.answer('Job to resume', '\r');
    expect(await screen.ended, screen.text()).toBe(0);
    expect((await svc('jobs', 'resume')).code).toBe(0);
  });
});
