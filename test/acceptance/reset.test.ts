import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { BIN, newUser, type User } from './svc.ts';
import { brokenOff, type ResetFault, resetReply, tokenService, wellAnswered } from './token-service.ts';

const RESET = ['auth-tokens', 'reset', '--api-key', 'key-1', '--yes', '-q'];

/** The records in the recovery folder, finished or not. Lock files stay there. */
async function leftBehind(home: string): Promise<string[]> {
  const names = await readdir(join(home, '.local', 'state', 'svc', 'recovery')).catch(() => []);
  return names.filter((name) => !/\.lock(\.owner)?$/.test(name));
}

async function recover(user: User, env: Readonly<Record<string, string>>) {
  const run = await user.svc(['auth', 'recover', '--show-secrets', '-o', 'json'], { env });
  return JSON.parse(run.stdout) as { id: string; state: string; token: string | null; path: string }[];
}

/** Runs a line of bash with the built tool as `$SVC`. */
function bash(line: string, { home, env }: { home: string; env: Readonly<Record<string, string>> }) {
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const child = spawn('bash', ['-c', line], {
      cwd: home,
      env: { ...env, HOME: home, SVC: `${process.execPath} ${BIN}` },
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (text) => {
      stdout += text;
    });
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    void once(child, 'close').then(([code]) => resolve({ code, stdout, stderr }));
  });
}

const LINE = `$SVC ${RESET.join(' ')}`;

describe('a token that everyone gets', () => {
  it('is printed bare, and nothing is left behind', async () => {
    const user = await newUser();
    const service = await tokenService();
    const run = await user.svc(RESET, { env: service.env });
    expect(run).toMatchObject({ code: 0, stdout: `${service.current()}\n`, stderr: '' });
    expect(await leftBehind(user.home)).toEqual([]);
    expect(service.received).toHaveLength(1);
  });

  it('goes to the command, the file, the step and stdout, masked before it is shown', async () => {
    const user = await newUser();
    const service = await tokenService();
    const output = join(user.home, 'github-output');
    await writeFile(output, 'before=1\n');
    const words = [...RESET, '--to', 'exec:cat > from-stdin', '--output-file', 'token.txt', '--github'];
    const run = await user.svc(words, { env: { ...service.env, GITHUB_OUTPUT: output } });
    const token = service.current();
    expect(run).toMatchObject({ code: 0, stdout: `::add-mask::${token}\n${token}\n`, stderr: '' });
    expect(await readFile(join(user.home, 'from-stdin'), 'utf8')).toBe(token);
    expect(await readFile(join(user.home, 'token.txt'), 'utf8')).toBe(`${token}\n`);
    expect((await stat(join(user.home, 'token.txt'))).mode & 0o777).toBe(0o600);
    expect(await readFile(output, 'utf8')).toBe(`before=1\ntoken=${token}\n`);
    expect(await leftBehind(user.home)).toEqual([]);
  });

  it('goes into the profile, which works with it at once', async () => {
    const user = await newUser();
    const service = await tokenService();
    const env = await withProfile(user, service.env);
    expect((await user.svc([...RESET, '--save'], { env })).code).toBe(0);
    const { SVC_WORKSPACE_ID: _, ...withoutWorkspace } = env;
    expect((await user.svc(['agents', 'list'], { env: withoutWorkspace })).stderr).not.toContain('UNAUTHENTICATED');
    const shown = await user.svc(['profiles', 'show', '--show-secrets', '-o', 'json'], { env });
    expect(JSON.parse(shown.stdout).authToken).toBe(service.current());
  });

  it.each([
    { name: 'a closed stdout', redirection: '>&-' },
    { name: 'stdout at the null device', redirection: '> /dev/null' },
  ])('goes into a file with $name', async ({ redirection }) => {
    const user = await newUser();
    const service = await tokenService();
    const line = `${LINE} --output-file token.txt ${redirection}`;
    const run = await bash(line, { home: user.home, env: { ...user.env, ...service.env } });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(await readFile(join(user.home, 'token.txt'), 'utf8')).toBe(`${service.current()}\n`);
  });

  it('is discarded by an explicit > /dev/null', async () => {
    const user = await newUser();
    const service = await tokenService();
    const run = await bash(`${LINE} > /dev/null`, { home: user.home, env: { ...user.env, ...service.env } });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(service.isReplaced()).toBe(true);
  });

  it('--dry-run prints the request and touches nothing', async () => {
    const user = await newUser();
    const service = await tokenService();
    const run = await user.svc([...RESET, '--dry-run', '--output-file', 'token.txt'], { env: service.env });
    expect(JSON.parse(run.stdout)).toMatchObject({ body: { data: { apiKey: 'key-1' } } });
    expect(service.received).toEqual([]);
    expect(await readdir(user.home)).not.toContain('token.txt');
    expect(await readdir(user.home)).not.toContain('.local');
  });
});

/** A profile with the service's key and address; the environment then holds the workspace's credentials only. */
async function withProfile(user: User, env: Readonly<Record<string, string>>) {
  const { SVC_BASE_URL = '', SVC_AUTH_TOKEN = '', SVC_API_KEY: _, ...rest } = env;
  const words = ['--base-url', SVC_BASE_URL, '--api-key', 'key-1', '--auth-token-stdin', '--insecure-storage'];
  const added = await user.svc(['profiles', 'add', 'prod', ...words], { stdin: SVC_AUTH_TOKEN });
  expect(added.code, added.stderr).toBe(0);
  return rest;
}

describe('what cannot be opened ends the run before anything is sent', () => {
  it.each([
    { name: 'a file that exists', words: ['--output-file', 'taken'], code: 2, says: 'taken exists already' },
    { name: 'a file in no folder', words: ['--output-file', 'no/where'], code: 2, says: 'no folder' },
    { name: 'no step of GitHub Actions', words: ['--github'], code: 2, says: 'GITHUB_OUTPUT is not set' },
    { name: 'a command that is not there', words: ['--to', 'exec:nosuch -x'], code: 2, says: 'there is no nosuch' },
    { name: 'a line no shell understands', words: ['--to', 'exec:cat ('], code: 2, says: 'does not understand' },
    { name: 'a target that is no command', words: ['--to', 'cat'], code: 2, says: 'exec:' },
    { name: 'no profile to save into', words: ['--save'], code: 2, says: 'no profile is in use' },
  ])('$name', async ({ words, code, says }) => {
    const user = await newUser();
    await writeFile(join(user.home, 'taken'), 'mine');
    const service = await tokenService();
    const run = await user.svc([...RESET, ...words], { env: service.env });
    expect(run).toMatchObject({ code, stdout: '' });
    expect(run.stderr).toContain(says);
    expect(service.received).toEqual([]);
    expect(await readFile(join(user.home, 'taken'), 'utf8')).toBe('mine');
    expect(await leftBehind(user.home)).toEqual([]);
  });

  it('a file that was made is gone again when a later destination cannot be opened', async () => {
    const user = await newUser();
    const service = await tokenService();
    const run = await user.svc([...RESET, '--output-file', 'token.txt', '--github'], { env: service.env });
    expect(run.code).toBe(2);
    expect(await readdir(user.home)).not.toContain('token.txt');
  });

  it('a profile about another API key', async () => {
    const user = await newUser();
    const service = await tokenService();
    const env = await withProfile(user, service.env);
    const run = await user.svc(['auth-tokens', 'reset', '--api-key', 'other', '--yes', '--save'], { env });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain("profile 'prod' is about the API key key-1");
    expect(service.received).toEqual([]);
  });

  // Even root is held to a limit on the size of files: it lets the record grow, and not the profiles.
  it('a profile that cannot be written', async () => {
    const user = await newUser();
    const service = await tokenService();
    const env = await withProfile(user, service.env);
    const path = join(user.home, '.config', 'svc', 'profiles.json');
    const book = JSON.parse(await readFile(path, 'utf8'));
    book.profiles.prod.notes = 'x'.repeat(64 * 1024);
    await writeFile(path, JSON.stringify(book));
    const run = await bash(`ulimit -f 32; ${LINE} --save`, { home: user.home, env: { ...user.env, ...env } });
    expect(run).toMatchObject({ code: 12, stdout: '' });
    expect(run.stderr).toContain('profiles.json');
    expect(service.received).toEqual([]);
  });

  it.each([
    { name: 'a closed stdout', redirection: '>&-' },
    { name: 'all descriptors closed', redirection: '<&- >&- 2>&-' },
    { name: 'a parent that discards the output', redirection: '1<> /dev/null' },
  ])('$name, when the token goes nowhere else', async ({ redirection }) => {
    const user = await newUser();
    const service = await tokenService();
    const run = await bash(`${LINE} ${redirection}`, { home: user.home, env: { ...user.env, ...service.env } });
    expect(run).toMatchObject({ code: 12, stdout: '' });
    if (!redirection.includes('2>')) expect(run.stderr).toContain('stdout is closed');
    expect(service.received).toEqual([]);
    expect(await leftBehind(user.home)).toEqual([]);
  });

  it('a record that has no room', async () => {
    const user = await newUser();
    const service = await tokenService();
    const run = await bash(`ulimit -f 8; ${LINE}`, { home: user.home, env: { ...user.env, ...service.env } });
    expect(run).toMatchObject({ code: 12, stdout: '' });
    expect(run.stderr).toMatch(/cannot write .*recovery/);
    expect(service.received).toEqual([]);
    expect(await leftBehind(user.home)).toEqual([]);
  });
});

describe('what cannot be handed on stays in the record', () => {
  it.each([
    { name: 'a full disk behind stdout', line: `${LINE} > /dev/full`, says: 'the disk is full' },
    {
      name: 'a reader of stdout that left',
      line: `${LINE} | true; exit \${PIPESTATUS[0]}`,
      says: 'the reader of the output left',
    },
    { name: 'a command that fails', line: `${LINE} --to 'exec:exit 3'`, says: 'it ended with 3' },
  ])('$name: 12, and auth recover has it', async ({ line, says }) => {
    const user = await newUser();
    const service = await tokenService();
    const run = await bash(line, { home: user.home, env: { ...user.env, ...service.env } });
    expect(run.code, run.stderr).toBe(12);
    expect(run.stderr).toContain(says);
    const [record, ...others] = await recover(user, service.env);
    expect(record).toMatchObject({ state: 'kept', token: service.current() });
    expect(others).toEqual([]);
    expect(run.stderr).toContain(record?.path);
    expect(run.stderr).toContain('svc auth recover');
    expect((await stat(record?.path ?? '')).mode & 0o777).toBe(0o600);
  });

  it('a command that fails keeps nobody else from the token', async () => {
    const user = await newUser();
    const service = await tokenService();
    const run = await user.svc([...RESET, '--to', 'exec:false', '--output-file', 'token.txt'], { env: service.env });
    expect(run).toMatchObject({ code: 12, stdout: `${service.current()}\n` });
    expect(await readFile(join(user.home, 'token.txt'), 'utf8')).toBe(`${service.current()}\n`);
  });

  it('a profile that is gone meanwhile; auth recover --save puts the token where it belongs', async () => {
    const user = await newUser();
    const folder = join(user.home, '.config', 'svc');
    const swap: ResetFault = (apply, response) => {
      renameSync(folder, `${folder}.away`);
      writeFileSync(folder, 'no folder');
      wellAnswered(apply, response);
    };
    const service = await tokenService(swap);
    const env = await withProfile(user, service.env);
    const run = await user.svc([...RESET, '--save'], { env });
    expect(run).toMatchObject({ code: 12, stdout: `${service.current()}\n` });
    expect(run.stderr).toContain("profile 'prod'");
    spawnSync('rm', [folder]);
    renameSync(`${folder}.away`, folder);
    expect(await user.svc(['auth', 'recover', '--save'], { env })).toMatchObject({ code: 0, stdout: '' });
    const shown = await user.svc(['profiles', 'show', '--show-secrets', '-o', 'json'], { env });
    expect(JSON.parse(shown.stdout).authToken).toBe(service.current());
    expect(await leftBehind(user.home)).toEqual([]);
  });

  // Even root is held to a limit on the size of files; it comes between the request and its answer.
  it('is shown at least, and the way to another one is named, when even the record cannot be written any more', async () => {
    const user = await newUser();
    let pid = 0;
    const service = await tokenService((apply, response) => {
      execFileSync('prlimit', ['--pid', String(pid), '--fsize=0']);
      wellAnswered(apply, response);
    });
    const words = [...RESET, '--output-file', 'token.txt'];
    const child = spawn(process.execPath, [BIN, ...words], { cwd: user.home, env: { ...user.env, ...service.env } });
    pid = child.pid ?? 0;
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    expect({ code, stdout }, stderr).toEqual({ code: 12, stdout: `${service.current()}\n` });
    expect(stderr).toContain('could neither be kept nor be handed on to everyone: token.txt');
    expect(stderr).toContain('if you have it nowhere, set another one: svc auth-tokens reset --api-key key-1 --ensure');
    // As it was, the record says that the request may have left.
    expect(await recover(user, service.env)).toMatchObject([{ token: null }]);
  });

  it('a later reset warns of it, and once its own token is safe the dead one goes', async () => {
    const user = await newUser();
    const service = await tokenService();
    await bash(`${LINE} > /dev/full`, { home: user.home, env: { ...user.env, ...service.env } });
    const run = await user.svc(RESET, { env: service.env });
    expect(run).toMatchObject({ code: 0, stdout: `${service.current()}\n` });
    expect(run.stderr).toContain('an earlier reset kept a token');
    expect(await leftBehind(user.home)).toEqual([]);
  });

  it('auth recover masks it, and removes it only when told twice', async () => {
    const user = await newUser();
    const service = await tokenService();
    await bash(`${LINE} > /dev/full`, { home: user.home, env: { ...user.env, ...service.env } });
    const listed = await user.svc(['auth', 'recover']);
    expect(listed.stdout).toContain(`****${service.current().slice(-4)}`);
    expect(listed.stdout + listed.stderr).not.toContain(service.current());
    const [record] = await recover(user, {});
    const remove = ['auth', 'recover', '--remove', record?.id ?? ''];
    expect((await user.svc(remove)).code).toBe(2);
    expect((await user.svc([...remove, '--yes'])).code).toBe(0);
    expect(await recover(user, {})).toEqual([]);
  });
});

describe('no usable answer', () => {
  const unusable: ResetFault = (apply, response) => {
    apply();
    response.writeHead(502, { 'content-type': 'text/html' });
    response.end('<h1>Bad gateway</h1>');
  };

  it('is 8 when the old token lives: nothing was applied', async () => {
    const user = await newUser();
    const service = await tokenService(brokenOff(false));
    const run = await user.svc([...RESET, '--output-file', 'token.txt'], { env: service.env });
    expect(run).toMatchObject({ code: 8, stdout: '' });
    expect(run.stderr).toContain('the old token still works');
    expect(service.resets()).toBe(1);
    expect(await leftBehind(user.home)).toEqual([]);
    expect(await readdir(user.home)).not.toContain('token.txt');
  });

  it('is 9 when a request that was given up is applied all the same', async () => {
    const user = await newUser();
    const service = await tokenService((apply) => void setTimeout(apply, 1_500));
    const run = await user.svc([...RESET, '--timeout', '300ms'], { env: service.env });
    expect(run).toMatchObject({ code: 9, stdout: '' });
    expect(run.stderr).toContain('was replaced, and the new one is lost');
  });

  it.each([
    { name: 'the connection breaks off', fault: brokenOff(true) },
    { name: 'a proxy answers', fault: unusable },
    {
      name: 'the answer is cut',
      fault: ((apply, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
        response.write(JSON.stringify(resetReply(apply())).slice(0, 70));
        setTimeout(() => response.destroy(), 50);
      }) satisfies ResetFault,
    },
    {
      name: 'the answer holds no token',
      fault: ((apply, response) => {
        apply();
        wellAnswered(() => '', response);
      }) satisfies ResetFault,
    },
  ])('is 9 when the old token is dead, and names the way to another one: $name', async ({ fault }) => {
    const user = await newUser();
    const service = await tokenService(fault);
    const run = await user.svc(RESET, { env: service.env });
    expect(run).toMatchObject({ code: 9, stdout: '' });
    expect(run.stderr).toContain('svc auth-tokens reset --api-key key-1 --ensure');
    expect(service.resets()).toBe(1);
    expect(await recover(user, service.env)).toMatchObject([{ state: 'lost', token: null }]);
  });

  it('is 9 when nobody can tell, and auth recover tells later', async () => {
    const user = await newUser();
    const service = await tokenService((apply, response) => {
      service.goSilent();
      brokenOff(true)(apply, response);
    });
    const run = await user.svc(RESET, { env: service.env });
    expect(run).toMatchObject({ code: 9, stdout: '' });
    expect(run.stderr).toContain('may have been replaced');
    expect(run.stderr).toContain('svc auth recover');
    expect(await recover(user, {})).toMatchObject([{ state: 'unknown' }]);
  });

  it('is 9 where the old token is not known', async () => {
    const user = await newUser();
    const service = await tokenService(brokenOff(false));
    const { SVC_AUTH_TOKEN: _, ...env } = service.env;
    const run = await user.svc(RESET, { env });
    expect(run.code).toBe(9);
    expect(run.stderr).toContain('its old token is not known here');
  });

  it('--ensure resets again until a token is in hand', async () => {
    const user = await newUser();
    const service = await tokenService(brokenOff(true), unusable, wellAnswered);
    const run = await user.svc([...RESET, '--ensure'], { env: service.env });
    expect(run).toMatchObject({ code: 0, stdout: `${service.current()}\n` });
    expect(service.resets()).toBe(3);
    expect(await leftBehind(user.home)).toEqual([]);
  });

  it('is the refusal itself where the service refused, and nothing is left', async () => {
    const user = await newUser();
    const service = await tokenService((_, response) => {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end('{"error":{"status":"NOT_FOUND","message":"API key not found."}}');
    });
    const run = await user.svc([...RESET, '--ensure'], { env: service.env });
    expect(run.code).toBe(5);
    expect(service.resets()).toBe(1);
    expect(await leftBehind(user.home)).toEqual([]);
  });
});

describe('beside others, and interrupted', () => {
  const slow: ResetFault = (apply, response) => void setTimeout(() => wellAnswered(apply, response), 1_000);

  it('a second reset of the same key is refused with the name of the first', async () => {
    const user = await newUser();
    const service = await tokenService(slow);
    const first = user.svc(RESET, { env: service.env });
    await expect.poll(() => service.resets()).toBe(1);
    const second = await user.svc(RESET, { env: service.env });
    expect(second.code).toBe(13);
    expect(second.stderr).toMatch(/another reset of API key key-1 is in progress: process \d+;/);
    expect(await recover(user, service.env)).toMatchObject([{ state: 'running' }]);
    expect(await first).toMatchObject({ code: 0, stdout: `${service.current()}\n` });
    expect(service.resets()).toBe(1);
  });

  it('a reset that was killed holds up the next one for no moment', async () => {
    const user = await newUser();
    const service = await tokenService((apply) => void apply(), wellAnswered);
    const child = spawn(process.execPath, [BIN, ...RESET], { cwd: user.home, env: { ...user.env, ...service.env } });
    await expect.poll(() => service.resets()).toBe(1);
    child.kill('SIGKILL');
    await once(child, 'close');
    const run = await user.svc(RESET, { env: service.env });
    expect(run).toMatchObject({ code: 0, stdout: `${service.current()}\n` });
    expect(await leftBehind(user.home)).toEqual([]);
  });

  it('Ctrl-C ends a command of --to, and the record keeps the token', async () => {
    const user = await newUser();
    const service = await tokenService();
    const words = [...RESET, '--to', 'exec:touch began; exec sleep 30'];
    const child = spawn(process.execPath, [BIN, ...words], { cwd: user.home, env: { ...user.env, ...service.env } });
    await expect.poll(() => readdir(user.home)).toContain('began');
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([12, null]);
    expect(await recover(user, service.env)).toMatchObject([{ state: 'kept', token: service.current() }]);
  });

  it('Ctrl-C waits for the answer that is on its way', async () => {
    const user = await newUser();
    const service = await tokenService(slow);
    const child = spawn(process.execPath, [BIN, 'auth-tokens', 'reset', '--api-key', 'key-1', '--yes', '-o', 'json'], {
      cwd: user.home,
      env: { ...user.env, ...service.env },
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (text) => {
      stdout += text;
    });
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    await expect.poll(() => service.resets()).toBe(1);
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(JSON.parse(stdout).newAuthToken.token).toBe(service.current());
    expect(stderr).toContain('waiting for the answer');
    expect(await leftBehind(user.home)).toEqual([]);
  });
});
