import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { userId } from '../../src/kernel/process.ts';
import { eventually } from '../eventually.ts';
import { SLOW } from '../slow.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';
import { newUserInProcess, runInProcess } from './in-process.ts';
import { BIN, newUser, run, type Setting, type User } from './svc.ts';

const CONNECTION = {
  SVC_BASE_URL: 'https://127.0.0.1:9',
  SVC_API_KEY: 'k',
  SVC_AUTH_TOKEN: 'token-of-tests',
};
const ADD_PROFILE = ['profiles', 'add', 'p', '--base-url', 'http://127.0.0.1:9', '--api-key', 'k'];

/** Runs svc in a process that runs other code first. */
async function runAfter(
  code: string,
  { home, env }: Pick<User, 'home' | 'env'>,
  words: readonly string[],
) {
  const preload = join(await createTemporaryFolder(), 'first.cjs');
  await writeFile(preload, code);
  return run(['--require', preload, BIN, ...words], { cwd: home, env });
}

describe('settings that are not a regular file', () => {
  it.each([
    ['.svc.json', ''],
    [join('.config', 'svc', 'profiles.json'), 'hint: to use another folder, set XDG_CONFIG_HOME\n'],
  ])('end svc with exit code 12 and disable completion: %s', async (file, hint) => {
    const { home, svc } = await newUser();
    const path = join(home, file);
    await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
    execFileSync('mkfifo', [path]);
    expect(await svc(['profiles', 'list'])).toEqual({
      code: 12,
      stdout: '',
      stderr: `svc: cannot read ${path}: is not a regular file\n${hint}`,
    });
    const completed = await svc(['__complete', 'folders', 'get', '--folder', '']);
    expect(completed).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

it('do not prevent reading a secret from a FIFO named by a flag', async () => {
  const { home, svc } = await newUserInProcess();
  execFileSync('mkfifo', [join(home, 'fifo')]);
  const adding = svc([...ADD_PROFILE, '--insecure-storage', '--auth-token-file', 'fifo']);
  await writeFile(join(home, 'fifo'), 'not-a-real-one\n');
  expect(await adding).toMatchObject({ code: 0 });
  expect(await readFile(join(home, '.config', 'svc', 'secrets.json'), 'utf8')).toContain(
    '"not-a-real-one"',
  );
});

describe('a file of svc that is a FIFO', () => {
  it.each([
    ['history/history.ndjson', ['--local', 'users', 'add', '--org', 'acme', '--user', 'u2', '-v']],
    ['undo', ['--local', 'users', 'update', '--org', 'acme', '--user', 'u1', '--name', 'Eve']],
  ])('does not keep a command from ending: %s', async (name, words) => {
    const { home, svc } = await newUserInProcess();
    const add = ['--local', 'users', 'add', '--org', 'acme', '--user', 'u1'];
    expect(await svc(add)).toMatchObject({ code: 0 });
    const path = join(home, '.local', 'state', 'svc', name);
    await rm(path, { recursive: true, force: true });
    execFileSync('mkfifo', [path]);
    const run = await svc(words);
    expect(run, run.stderr).toMatchObject({ code: 0 });
    if (words.includes('-v'))
      expect(run.stderr).toContain(
        `the command was not recorded in the history: cannot write ${path}: is not a regular file`,
      );
  });
});

describe('a secret in a FIFO without a writer', () => {
  it.each([
    ['--auth-token-file', [...ADD_PROFILE, '--insecure-storage', '--auth-token-file', 'fifo']],
    ['--ca-file', ['agents', 'list', '--ca-file', 'fifo']],
    ['a saved plan', ['plan', 'show', 'fifo']],
  ])('is not waited for after SIGTERM: %s', async (_, words) => {
    const { home, start } = await newUser();
    execFileSync('mkfifo', [join(home, 'fifo')]);
    const { ended, pid, kill } = start(words, { env: CONNECTION });
    await eventually(async () => {
      // svc handles SIGHUP, the lowest bit, as soon as it runs; Node.js alone does not.
      const status = await readFile(`/proc/${pid}/status`, 'utf8');
      expect(status).toMatch(/^SigCgt:\s+\w*[13579bdf]$/m);
    });
    await sleep(300);
    kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 143 });
  });
});

describe('a user without an entry in /etc/passwd', () => {
  /** Throws like Node.js if the system does not know the user. */
  const UNKNOWN = `
    const os = require('os');
    os.userInfo = () => { throw new Error('uv_os_get_passwd returned ENOENT'); };
    os.homedir = () => process.env.HOME || os.userInfo().homedir;`;

  it.each([true, false])('can use svc with HOME set: %s', SLOW, async (hasHome) => {
    const { home, env: own } = await newUser();
    const folders = {
      XDG_CONFIG_HOME: home,
      XDG_DATA_HOME: home,
      XDG_STATE_HOME: home,
      SHELL: '/bin/bash',
    };
    const env = { PATH: own['PATH'] ?? '', ...folders, ...(hasHome && { HOME: home }) };
    const start = (words: readonly string[]) => runAfter(UNKNOWN, { home, env }, words);
    const doctor = await start(['doctor']);
    expect(doctor.stdout).toMatch(/^ok +permissions /m);
    expect(doctor.stderr).not.toContain('bug');
    for (const words of [
      [...ADD_PROFILE, '--org', 'acme'],
      ['profiles', 'list'],
      ['users', 'add', '--local', '--org', 'acme', '--user', 'u1'],
      ['completion', 'install', '--dry-run'],
    ]) {
      const { code, stderr } = await start(words);
      expect(code, `${words.join(' ')}: ${stderr}`).toBe(0);
    }
  });
});

/** Lets the compile cache be in the user's own home, where it is without this variable. */
const OWN_CACHE = { XDG_CACHE_HOME: '' };

/** Runs svc in this process with another umask. */
async function runWithUmask(umask: string, words: readonly string[], setting: Setting) {
  const before = process.umask(umask);
  try {
    return await runInProcess(words, setting);
  } finally {
    process.umask(before);
  }
}

describe('files created by svc', () => {
  it.each(['000', '022', '077'])('are private under umask %s', SLOW, async (umask) => {
    const user = await newUser();
    const records = '[{"userId":"u1"},{"userId":1}]';
    await writeFile(join(user.home, 'users.json'), records);
    await writeFile(join(user.home, 'token'), 'not-a-real-one');
    const add = ['users', 'add', '--local', '--org', 'acme'];
    const commands = [
      [...ADD_PROFILE, '--insecure-storage', '--auth-token-file', 'token'],
      [...add, '--user', 'u2'],
      [...add, '--file', 'users.json', '--rejects', 'rejects.json', '--results', 'results.ndjson'],
      ['local', 'export', 'state.json'],
      ['completion', 'install', 'bash', '--yes'],
      ['completion', 'install', 'fish', '--yes'],
    ];
    const env = { ...user.env, ...OWN_CACHE };
    for (const [at, words] of commands.entries()) {
      // The first command has a process of its own under each umask, which creates the compile
      // cache.
      const isProcess = at === 0 || umask === '000';
      const { code, stderr } = isProcess
        ? await runAfter(`process.umask(0o${umask})`, { home: user.home, env }, words)
        : await runWithUmask(umask, words, { cwd: user.home, env });
      expect([0, 3, 10], `${words.join(' ')}: ${stderr}`).toContain(code);
    }
    const open: string[] = [];
    for (const entry of await readdir(user.home, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      // Excludes the shell's own files, the input, and the content of the private compile cache,
      // which Node.js creates.
      if (/\.bashrc$|svc\.(bash|fish)$|users\.json$|token$|compiled\/./.test(path)) continue;
      const mode = (await stat(path)).mode & 0o777;
      if (mode !== (entry.isDirectory() ? 0o700 : 0o600)) open.push(`${path} ${mode.toString(8)}`);
    }
    expect(open).toEqual([]);
    expect(await readdir(join(user.home, '.cache', 'svc'))).toEqual(['compiled']);
  });

  it('make an existing compile cache private', async () => {
    const { home, svc } = await newUser();
    const compiled = join(home, '.cache', 'svc', 'compiled');
    await mkdir(compiled, { recursive: true, mode: 0o755 });
    expect((await svc(['--version'], { env: OWN_CACHE })).code).toBe(0);
    expect((await stat(compiled)).mode & 0o777).toBe(0o700);
    expect(await readdir(compiled)).not.toEqual([]);
  });

  it.each([
    ['.cache/svc/compiled', 0o777],
    ['.cache/svc/compiled', 0o730],
    ['.cache/svc', 0o777],
    ['.cache', 0o777],
    ['', 0o777],
  ])('do not load code from a folder that others can write to: ~/%s %o', async (name, mode) => {
    const { home, svc } = await newUser();
    const compiled = join(home, '.cache', 'svc', 'compiled');
    await mkdir(compiled, { recursive: true, mode: 0o700 });
    await chmod(join(home, name), mode);
    expect((await svc(['--version'], { env: OWN_CACHE })).code).toBe(0);
    expect(await readdir(compiled)).toEqual([]);
  });

  it.skipIf(userId !== 0)('do not load code from a folder of another user', async () => {
    const { home, svc } = await newUser();
    const compiled = join(home, '.cache', 'svc', 'compiled');
    await mkdir(compiled, { recursive: true, mode: 0o700 });
    await chown(compiled, 65_534, 65_534);
    expect((await svc(['--version'], { env: OWN_CACHE })).code).toBe(0);
    expect(await readdir(compiled)).toEqual([]);
  });

  it('keep compiled code for the flags of Node.js that are used now', async () => {
    const { home, env } = await newUser();
    const setting = { cwd: home, env: { ...env, ...OWN_CACHE } };
    const compiled = join(home, '.cache', 'svc', 'compiled');
    const codeAfter = async (words: readonly string[]) => {
      expect(await run(words, setting)).toMatchObject({ code: 0 });
      const files = (await readdir(compiled, { recursive: true })).sort();
      return Promise.all(
        files.map((file) => readFile(join(compiled, file), 'base64').catch(() => file)),
      );
    };
    const help = [BIN, 'users', 'add', '--help'];
    await codeAfter(['--no-opt', ...help]);
    // Loads only a part of the modules.
    const partly = await codeAfter([BIN, '--version']);
    const current = await codeAfter(help);
    expect(current).not.toEqual(partly);
    expect(await codeAfter(help)).toEqual(current);
  });

  it('create private folders in the compile cache under every umask', async () => {
    const { home, env } = await newUser();
    const setting = { home, env: { ...env, ...OWN_CACHE } };
    await runAfter('process.umask(0)', setting, ['--version']);
    const compiled = join(home, '.cache', 'svc', 'compiled');
    const names = await readdir(compiled);
    expect(names).not.toEqual([]);
    for (const name of names) expect((await stat(join(compiled, name))).mode & 0o077).toBe(0);
  });
});

describe('a deleted current folder', () => {
  const GONE = `
    require('fs').mkdirSync('gone');
    process.chdir('gone');
    require('fs').rmdirSync('../gone');`;

  it.each([
    [['--version'], 0],
    [['--help'], 0],
    [['help', 'users', 'add'], 0],
    [['completion', 'bash'], 0],
    [['schema', 'users.add', '-o', 'json'], 0],
    [['users', 'add', '--local', '--org', 'acme', '--user', 'u1', '-o', 'json'], 0],
    [['__complete', 'users', 'add', '--file', 'x'], 0],
    [['profiles', 'list'], 12],
    [['users', 'add', '--local', '--org', 'acme', '--data', '@file', '-o', 'json'], 12],
  ])('ends svc %j with %d', async (words, expected) => {
    const { code, stderr } = await runAfter(GONE, await newUser(), words);
    expect(code, stderr).toBe(expected);
    if (expected === 12) expect(stderr).toContain('the current folder no longer exists');
    else if (words[0] === '__complete') expect(stderr).toBe('');
  });
});
