import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newUserInProcess } from '../../acceptance/in-process.ts';
import { startMockService, success } from '../../acceptance/mock-service.ts';

/** Creates a user whose folder cannot be used, because a file is in its place. */
async function newUserWithout(folder: '.config' | '.local') {
  const user = await newUserInProcess();
  await writeFile(join(user.home, folder), 'no folder');
  await writeFile(join(user.home, 'users.csv'), 'userId\nann\n');
  const service = await startMockService(({ path }) =>
    success(path.endsWith('/add') ? { ann: { success: true } } : []),
  );
  return { ...user, env: service.env };
}

const ADD = ['users', 'add', '--org', 'acme', '--user', 'ann'];

describe('a config folder that cannot be read', () => {
  const reason = 'profiles.json: part of the path is not a folder';

  it.each([
    [['documents', 'list', '--org', 'acme']],
    [['webhooks', 'events']],
    [['users', 'validate', '--file', 'users.csv']],
    [ADD],
  ])('is one warning with all credentials in the environment: %j', async (words) => {
    const { svc, env } = await newUserWithout('.config');
    const { code, stderr } = await svc(words, { env });
    expect(code, stderr).toBe(0);
    expect(stderr.split(reason)).toHaveLength(2);
    expect(stderr).toMatch(/cannot read .*set XDG_CONFIG_HOME\)/);
  });

  it.each([
    ['a missing credential', { SVC_AUTH_TOKEN: '' }, []],
    ['a profile in the environment', { SVC_PROFILE: 'prod' }, []],
    ['a profile of a flag', {}, ['-p', 'prod']],
  ])('is an error with %s, and names the variable', async (_, change, flags) => {
    const { svc, env } = await newUserWithout('.config');
    const words = [...flags, 'documents', 'list', '--org', 'acme'];
    const { code, stderr } = await svc(words, { env: { ...env, ...change } });
    expect([code, stderr]).toEqual([
      12,
      expect.stringContaining(`${reason}\nhint: to use another folder, set XDG_CONFIG_HOME\n`),
    ]);
  });

  it('is an error for commands about profiles', async () => {
    const { svc, env } = await newUserWithout('.config');
    expect(await svc(['profiles', 'list'], { env })).toMatchObject({ code: 12 });
  });
});

describe('a folder for state or data that cannot be written', () => {
  it('is a warning in the history of a write', async () => {
    const { svc, env } = await newUserWithout('.local');
    const { code, stderr } = await svc(ADD, { env });
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(
        /^warning: the command was not recorded in the history: .* \(to use another folder, set XDG_STATE_HOME\)\n$/,
      ),
    ]);
  });

  it.each([
    ['XDG_STATE_HOME', ['users', 'add', '--org', 'acme', '--file', 'users.csv']],
    ['XDG_DATA_HOME', ['--local', 'folders', 'list', '--org', 'acme']],
  ])('is an error that names %s', async (variable, words) => {
    const { svc, env, home } = await newUserWithout('.local');
    await mkdir(join(home, 'elsewhere'));
    const { code, stderr } = await svc(words, { env });
    expect([code, stderr]).toEqual([
      12,
      expect.stringContaining(`hint: to use another folder, set ${variable}\n`),
    ]);
    const moved = await svc(words, { env: { ...env, [variable]: join(home, 'elsewhere') } });
    expect(moved.stderr).not.toContain(variable);
  });
});
