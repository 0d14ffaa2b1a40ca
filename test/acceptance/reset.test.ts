import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { SLOW } from '../slow.ts';
import { newUserInProcess } from './in-process.ts';
import { BIN, type User } from './svc.ts';
import {
  buildResetResponse,
  closeConnection,
  type ResetFault,
  respondNormally,
  startTokenService,
} from './token-service.ts';

const RESET = ['auth-tokens', 'reset', '--api-key', 'key-1', '--yes', '-q'];

/** Returns the records in the recovery folder, finished or not, without lock files. */
async function listRecords(home: string): Promise<string[]> {
  const names = await readdir(join(home, '.local', 'state', 'svc', 'recovery')).catch(() => []);
  return names.filter((name) => !/\.lock(\.owner)?$/.test(name));
}

async function recover(user: User, env: Readonly<Record<string, string>>) {
  const run = await user.svc(['auth-tokens', 'recover', '--show-secrets', '-o', 'json'], { env });
  return JSON.parse(run.stdout) as {
    id: string;
    state: string;
    token: string | null;
    path: string;
  }[];
}

/** Runs a line of bash with the built tool as `$SVC`. */
function runBash(
  line: string,
  { home, env }: { home: string; env: Readonly<Record<string, string>> },
) {
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

describe('a delivered token', () => {
  it('is printed alone, and nothing is left behind', async () => {
    const user = await newUserInProcess();
    const service = await startTokenService();
    const run = await user.svc(RESET, { env: service.env });
    expect(run).toMatchObject({ code: 0, stdout: `${service.current()}\n`, stderr: '' });
    expect(await listRecords(user.home)).toEqual([]);
    expect(service.received).toHaveLength(1);
  });

  it('reaches the command, the file, the step output, and stdout, and is masked before it is printed', async () => {
    const user = await newUserInProcess();
    const service = await startTokenService();
    const output = join(user.home, 'github-output');
    await writeFile(output, 'before=1\n');
    const words = [
      ...RESET,
      '--to',
      'exec:cat > from-stdin',
      '--output-file',
      'token.txt',
      '--github',
      '--print',
    ];
    const run = await user.svc(words, { env: { ...service.env, GITHUB_OUTPUT: output } });
    const token = service.current();
    expect(run).toMatchObject({ code: 0, stdout: `::add-mask::${token}\n${token}\n`, stderr: '' });
    expect(await readFile(join(user.home, 'from-stdin'), 'utf8')).toBe(token);
    expect(await readFile(join(user.home, 'token.txt'), 'utf8')).toBe(`${token}\n`);
    expect((await stat(join(user.home, 'token.txt'))).mode & 0o777).toBe(0o600);
    expect(await readFile(output, 'utf8')).toBe(`before=1\ntoken=${token}\n`);
    expect(await listRecords(user.home)).toEqual([]);
  });

  it.each([
    { flags: ['--output-file', 'token.txt'], name: 'token.txt' },
    { flags: ['--to', 'exec:cat > token.txt'], name: 'the --to command' },
    { flags: ['--output-file', 'token.txt', '--envelope', '-o', 'json'], name: 'token.txt' },
  ])('goes to the destination only, unless --print is given: $flags', async ({ flags, name }) => {
    const user = await newUserInProcess();
    const service = await startTokenService();
    const words = RESET.filter((word) => word !== '-q');
    const run = await user.svc([...words, ...flags], { env: service.env });
    const note = `Delivered the new auth token of API key key-1 to ${name}\n`;
    const stderr = flags.includes('json')
      ? `${JSON.stringify({ note: { level: 'info', message: note.trimEnd() } })}\n`
      : note;
    expect(run).toEqual({ code: 0, stdout: '', stderr });
    expect((await readFile(join(user.home, 'token.txt'), 'utf8')).trim()).toBe(service.current());
    await rm(join(user.home, 'token.txt'));
    const printed = await user.svc([...words, ...flags, '--print', '-q'], { env: service.env });
    expect(printed.stdout).toContain(service.current());
  });

  it('is saved in the profile, which uses it immediately', async () => {
    const user = await newUserInProcess();
    const service = await startTokenService();
    const env = await addProfile(user, service.env);
    expect((await user.svc([...RESET, '--save'], { env })).code).toBe(0);
    const { SVC_WORKSPACE_ID: _, ...withoutWorkspace } = env;
    expect((await user.svc(['agents', 'list'], { env: withoutWorkspace })).stderr).not.toContain(
      'UNAUTHENTICATED',
    );
    const shown = await user.svc(['profiles', 'show', '--show-secrets', '-o', 'json'], { env });
    expect(JSON.parse(shown.stdout).authToken).toBe(service.current());
  });

  it.each([
    { name: 'a closed stdout', redirection: '>&-' },
    { name: 'stdout set to the null device', redirection: '> /dev/null' },
  ])('is written to a file with $name', async ({ redirection }) => {
    const user = await newUserInProcess();
    const service = await startTokenService();
    const line = `${LINE} --output-file token.txt ${redirection}`;
    const run = await runBash(line, { home: user.home, env: { ...user.env, ...service.env } });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(await readFile(join(user.home, 'token.txt'), 'utf8')).toBe(`${service.current()}\n`);
  });

  it('is discarded by an explicit > /dev/null', async () => {
    const user = await newUserInProcess();
    const service = await startTokenService();
    const run = await runBash(`${LINE} > /dev/null`, {
      home: user.home,
      env: { ...user.env, ...service.env },
    });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(service.isReplaced()).toBe(true);
  });

  it('is not requested with --dry-run, which prints the request and changes nothing', async () => {
    const user = await newUserInProcess();
    const service = await startTokenService();
    const run = await user.svc([...RESET, '--dry-run', '--output-file', 'token.txt'], {
      env: service.env,
    });
    expect(JSON.parse(run.stdout)).toMatchObject({ body: { data: { apiKey: 'key-1' } } });
    expect(service.received).toEqual([]);
    expect(await readdir(user.home)).not.toContain('token.txt');
    expect(await readdir(user.home)).not.toContain('.local');
  });
});

/**
 * Creates a profile with the service's key and address. The environment then contains only the
 * workspace's credentials.
 */
async function addProfile(user: User, env: Readonly<Record<string, string>>) {
  const { SVC_BASE_URL = '', SVC_AUTH_TOKEN = '', SVC_API_KEY: _, ...rest } = env;
  const secret = ['--auth-token-stdin', '--insecure-storage', '--no-verify'];
  const words = ['--base-url', SVC_BASE_URL, '--api-key', 'key-1', ...secret];
  const added = await user.svc(['profiles', 'add', 'prod', ...words], { stdin: SVC_AUTH_TOKEN });
  expect(added.code, added.stderr).toBe(0);
  return rest;
}

describe('a destination that cannot be opened ends the command before anything is sent', () => {
  it.each([
    {
      name: 'a file that exists',
      words: ['--output-file', 'taken'],
      code: 2,
      says: 'taken already exists',
    },
    {
      name: 'a file in a missing folder',
      words: ['--output-file', 'no/where'],
      code: 2,
      says: 'the folder of no/where does not exist',
    },
    {
      name: '--github outside of GitHub Actions',
      words: ['--github'],
      code: 2,
      says: 'GITHUB_OUTPUT is not set',
    },
    {
      name: 'a missing command',
      words: ['--to', 'exec:nosuch -x'],
      code: 2,
      says: 'command not found: nosuch',
    },
    {
      name: 'an invalid shell command',
      words: ['--to', 'exec:cat ('],
      code: 2,
      says: 'invalid shell syntax',
    },
    { name: 'a target without exec:', words: ['--to', 'cat'], code: 2, says: 'exec:' },
    { name: 'no profile to save to', words: ['--save'], code: 2, says: 'no profile is selected' },
  ])('$name', async ({ words, code, says }) => {
    const user = await newUserInProcess();
    await writeFile(join(user.home, 'taken'), 'mine');
    const service = await startTokenService();
    const run = await user.svc([...RESET, ...words], { env: service.env });
    expect(run).toMatchObject({ code, stdout: '' });
    expect(run.stderr).toContain(says);
    expect(service.received).toEqual([]);
    expect(await readFile(join(user.home, 'taken'), 'utf8')).toBe('mine');
    expect(await listRecords(user.home)).toEqual([]);
  });

  it('a new file is removed if a later destination cannot be opened', async () => {
    const user = await newUserInProcess();
    const service = await startTokenService();
    const run = await user.svc([...RESET, '--output-file', 'token.txt', '--github'], {
      env: service.env,
    });
    expect(run.code).toBe(2);
    expect(await readdir(user.home)).not.toContain('token.txt');
  });

  it('a profile for another API key', async () => {
    const user = await newUserInProcess();
    const service = await startTokenService();
    const env = await addProfile(user, service.env);
    const run = await user.svc(['auth-tokens', 'reset', '--api-key', 'other', '--yes', '--save'], {
      env,
    });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain("--save: profile 'prod' belongs to API key key-1");
    expect(service.received).toEqual([]);
  });

  // A file size limit applies to root too. It allows the record to grow, but not the profiles.
  it('a profile that cannot be written', async () => {
    const user = await newUserInProcess();
    const service = await startTokenService();
    const env = await addProfile(user, service.env);
    const path = join(user.home, '.config', 'svc', 'profiles.json');
    const book = JSON.parse(await readFile(path, 'utf8'));
    book.profiles.prod.notes = 'x'.repeat(64 * 1024);
    await writeFile(path, JSON.stringify(book));
    const run = await runBash(`ulimit -f 32; ${LINE} --save`, {
      home: user.home,
      env: { ...user.env, ...env },
    });
    expect(run).toMatchObject({ code: 12, stdout: '' });
    expect(run.stderr).toContain('profiles.json');
    expect(service.received).toEqual([]);
  });

  it.each([
    { name: 'a closed stdout', redirection: '>&-' },
    { name: 'all descriptors closed', redirection: '<&- >&- 2>&-' },
    { name: 'a parent that discards the output', redirection: '1<> /dev/null' },
  ])('$name, if there is no other destination', async ({ redirection }) => {
    const user = await newUserInProcess();
    const service = await startTokenService();
    const run = await runBash(`${LINE} ${redirection}`, {
      home: user.home,
      env: { ...user.env, ...service.env },
    });
    expect(run).toMatchObject({ code: 12, stdout: '' });
    if (!redirection.includes('2>')) expect(run.stderr).toContain('stdout is closed');
    expect(service.received).toEqual([]);
    expect(await listRecords(user.home)).toEqual([]);
  });

  it('a recovery record without disk space', async () => {
    const user = await newUserInProcess();
    const service = await startTokenService();
    const run = await runBash(`ulimit -f 8; ${LINE}`, {
      home: user.home,
      env: { ...user.env, ...service.env },
    });
    expect(run).toMatchObject({ code: 12, stdout: '' });
    expect(run.stderr).toMatch(/cannot write .*recovery/);
    expect(service.received).toEqual([]);
    expect(await listRecords(user.home)).toEqual([]);
  });
});

describe('a token that cannot be delivered stays in the recovery record', () => {
  it.each([
    { name: 'a full disk behind stdout', line: `${LINE} > /dev/full`, says: 'the disk is full' },
    {
      name: 'a closed reader of stdout',
      line: `${LINE} | true; exit \${PIPESTATUS[0]}`,
      says: 'the reader of the output closed the pipe',
    },
    {
      name: 'a command that fails',
      line: `${LINE} --to 'exec:exit 3'`,
      says: 'the command exited with 3',
    },
  ])('$name: 12, and auth recover returns it', async ({ line, says }) => {
    const user = await newUserInProcess();
    const service = await startTokenService();
    const run = await runBash(line, { home: user.home, env: { ...user.env, ...service.env } });
    expect(run.code, run.stderr).toBe(12);
    expect(run.stderr).toContain(says);
    const [record, ...others] = await recover(user, service.env);
    expect(record).toMatchObject({ state: 'kept', token: service.current() });
    expect(others).toEqual([]);
    expect(run.stderr).toContain(record?.path);
    expect(run.stderr).toContain('svc auth-tokens recover');
    expect((await stat(record?.path ?? '')).mode & 0o777).toBe(0o600);
  });

  it('a failing command does not affect other destinations', async () => {
    const user = await newUserInProcess();
    const service = await startTokenService();
    const run = await user.svc([...RESET, '--to', 'exec:false', '--output-file', 'token.txt'], {
      env: service.env,
    });
    expect(run).toMatchObject({ code: 12, stdout: '' });
    expect(run.stderr).toContain('to show it, run svc auth-tokens recover --show-secrets');
    expect(await readFile(join(user.home, 'token.txt'), 'utf8')).toBe(`${service.current()}\n`);
  });

  it('nothing, because no token was saved', async () => {
    const user = await newUserInProcess();
    expect(await user.svc(['auth-tokens', 'recover', '--save', '--local'])).toMatchObject({
      code: 5,
      stderr: expect.stringContaining(
        'no saved token found for an API key of the embedded service\n',
      ),
    });
  });

  it('a profile that was removed meanwhile; auth recover --save stores the token later', async () => {
    const user = await newUserInProcess();
    const folder = join(user.home, '.config', 'svc');
    const swap: ResetFault = (apply, response) => {
      renameSync(folder, `${folder}.away`);
      writeFileSync(folder, 'no folder');
      respondNormally(apply, response);
    };
    const service = await startTokenService(swap);
    const env = await addProfile(user, service.env);
    const run = await user.svc([...RESET, '--save'], { env });
    expect(run).toMatchObject({ code: 12, stdout: '' });
    expect(run.stderr).toContain("profile 'prod'");
    spawnSync('rm', [folder]);
    renameSync(`${folder}.away`, folder);
    expect(await user.svc(['auth-tokens', 'recover', '--save'], { env })).toMatchObject({
      code: 0,
      stdout: '',
    });
    const shown = await user.svc(['profiles', 'show', '--show-secrets', '-o', 'json'], { env });
    expect(JSON.parse(shown.stdout).authToken).toBe(service.current());
    expect(await listRecords(user.home)).toEqual([]);
  });

  // A file size limit applies to root too. It is set between the request and the response.
  it('is printed with the command to get another one if even the record cannot be written', async () => {
    const user = await newUserInProcess();
    let pid = 0;
    const service = await startTokenService((apply, response) => {
      execFileSync('prlimit', ['--pid', String(pid), '--fsize=0']);
      respondNormally(apply, response);
    });
    const words = [...RESET, '--output-file', 'token.txt'];
    const child = spawn(process.execPath, [BIN, ...words], {
      cwd: user.home,
      env: { ...user.env, ...service.env },
    });
    pid = child.pid ?? 0;
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    expect({ code, stdout }, stderr).toEqual({ code: 12, stdout: `${service.current()}\n` });
    expect(stderr).toContain('could not be saved, and a destination failed: token.txt');
    expect(stderr).toContain(
      'if no destination received the token, reset it again: svc auth-tokens reset --api-key key-1 --ensure',
    );
    // The unchanged record states that the request may have been sent.
    expect(await recover(user, service.env)).toMatchObject([{ token: null }]);
  });

  it('a later reset warns about it, and deletes the old record once its own token is safe', async () => {
    const user = await newUserInProcess();
    const service = await startTokenService();
    await runBash(`${LINE} > /dev/full`, { home: user.home, env: { ...user.env, ...service.env } });
    const run = await user.svc(RESET, { env: service.env });
    expect(run).toMatchObject({ code: 0, stdout: `${service.current()}\n` });
    expect(run.stderr).toContain('an earlier reset saved a token');
    expect(await listRecords(user.home)).toEqual([]);
  });

  it('auth recover masks it, and deletes it only after a second confirmation', async () => {
    const user = await newUserInProcess();
    const service = await startTokenService();
    await runBash(`${LINE} > /dev/full`, { home: user.home, env: { ...user.env, ...service.env } });
    const listed = await user.svc(['auth-tokens', 'recover']);
    expect(listed.stdout).toContain(`****${service.current().slice(-4)}`);
    expect(listed.stdout + listed.stderr).not.toContain(service.current());
    const [record] = await recover(user, {});
    const remove = ['auth-tokens', 'recover', '--remove', record?.id ?? ''];
    expect((await user.svc(remove)).code).toBe(2);
    expect((await user.svc([...remove, '--yes'])).code).toBe(0);
    expect(await recover(user, {})).toEqual([]);
  });
});

describe('a reset without a usable response', () => {
  const unusable: ResetFault = (apply, response) => {
    apply();
    response.writeHead(502, { 'content-type': 'text/html' });
    response.end('<h1>Bad gateway</h1>');
  };

  it('exits with 8 if the old token works: nothing was applied', SLOW, async () => {
    const user = await newUserInProcess();
    const service = await startTokenService(closeConnection(false));
    const run = await user.svc([...RESET, '--output-file', 'token.txt'], { env: service.env });
    expect(run).toMatchObject({ code: 8, stdout: '' });
    expect(run.stderr).toContain('the old token still works');
    expect(service.resets()).toBe(1);
    expect(await listRecords(user.home)).toEqual([]);
    expect(await readdir(user.home)).not.toContain('token.txt');
  });

  it('exits with 9 if an abandoned request is applied later', SLOW, async () => {
    const user = await newUserInProcess();
    const service = await startTokenService((apply) => void setTimeout(apply, 1_500));
    const run = await user.svc([...RESET, '--timeout', '300ms'], { env: service.env });
    expect(run).toMatchObject({ code: 9, stdout: '' });
    expect(run.stderr).toContain('was replaced, but the new token is lost');
  });

  it.each([
    { name: 'the connection is closed', fault: closeConnection(true) },
    { name: 'a proxy responds', fault: unusable },
    {
      name: 'the response is truncated',
      fault: ((apply, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
        response.write(JSON.stringify(buildResetResponse(apply())).slice(0, 70));
        setTimeout(() => response.destroy(), 50);
      }) satisfies ResetFault,
    },
    {
      name: 'the response contains no token',
      fault: ((apply, response) => {
        apply();
        respondNormally(() => '', response);
      }) satisfies ResetFault,
    },
  ])(
    'exits with 9 if the old token is invalid, and names the command to get another one: $name',
    async ({ fault }) => {
      const user = await newUserInProcess();
      const service = await startTokenService(fault);
      const run = await user.svc(RESET, { env: service.env });
      expect(run).toMatchObject({ code: 9, stdout: '' });
      expect(run.stderr).toContain('svc auth-tokens reset --api-key key-1 --ensure');
      expect(service.resets()).toBe(1);
      expect(await recover(user, service.env)).toMatchObject([{ state: 'lost', token: null }]);
    },
  );

  it('exits with 9 if the outcome is unknown, and auth recover finds it out later', async () => {
    const user = await newUserInProcess();
    const service = await startTokenService((apply, response) => {
      service.goSilent();
      closeConnection(true)(apply, response);
    });
    const run = await user.svc(RESET, { env: service.env });
    expect(run).toMatchObject({ code: 9, stdout: '' });
    expect(run.stderr).toContain('may have been replaced');
    expect(run.stderr).toContain('svc auth-tokens recover');
    expect(await recover(user, {})).toMatchObject([{ state: 'unknown' }]);
  });

  it('exits with 9 if the old token is unknown', async () => {
    const user = await newUserInProcess();
    const service = await startTokenService(closeConnection(false));
    const { SVC_AUTH_TOKEN: _, ...env } = service.env;
    const run = await user.svc(RESET, { env });
    expect(run.code).toBe(9);
    expect(run.stderr).toContain(
      'svc does not have the old token; reset the token again: svc auth-tokens reset',
    );
  });

  it('repeats the reset with --ensure until a token is delivered', SLOW, async () => {
    const user = await newUserInProcess();
    const service = await startTokenService(closeConnection(true), unusable, respondNormally);
    const run = await user.svc([...RESET, '--ensure'], { env: service.env });
    expect(run).toMatchObject({ code: 0, stdout: `${service.current()}\n` });
    expect(service.resets()).toBe(3);
    expect(await listRecords(user.home)).toEqual([]);
  });

  it('reports the rejection of the service, and leaves nothing behind', async () => {
    const user = await newUserInProcess();
    const service = await startTokenService((_, response) => {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end('{"error":{"status":"NOT_FOUND","message":"API key not found."}}');
    });
    const run = await user.svc([...RESET, '--ensure'], { env: service.env });
    expect(run.code).toBe(5);
    expect(service.resets()).toBe(1);
    expect(await listRecords(user.home)).toEqual([]);
  });
});

describe('concurrent and interrupted resets', () => {
  const slow: ResetFault = (apply, response) =>
    void setTimeout(() => respondNormally(apply, response), 1_000);

  it('a second reset of the same key is rejected and names the first process', async () => {
    const user = await newUserInProcess();
    const service = await startTokenService(slow);
    const first = user.svc(RESET, { env: service.env });
    await expect.poll(() => service.resets()).toBe(1);
    const second = await user.svc(RESET, { env: service.env });
    expect(second.code).toBe(13);
    expect(second.stderr).toMatch(/another reset of API key key-1 is in progress: process \d+;/);
    expect(await recover(user, service.env)).toMatchObject([{ state: 'running' }]);
    expect(await first).toMatchObject({ code: 0, stdout: `${service.current()}\n` });
    expect(service.resets()).toBe(1);
  });

  it('a killed reset does not delay the next one', async () => {
    const user = await newUserInProcess();
    const service = await startTokenService((apply) => void apply(), respondNormally);
    const child = spawn(process.execPath, [BIN, ...RESET], {
      cwd: user.home,
      env: { ...user.env, ...service.env },
    });
    await expect.poll(() => service.resets()).toBe(1);
    child.kill('SIGKILL');
    await once(child, 'close');
    const run = await user.svc(RESET, { env: service.env });
    expect(run).toMatchObject({ code: 0, stdout: `${service.current()}\n` });
    expect(await listRecords(user.home)).toEqual([]);
  });

  it('Ctrl-C ends a command of --to, and the record keeps the token', async () => {
    const user = await newUserInProcess();
    const service = await startTokenService();
    const words = [...RESET, '--to', 'exec:touch began; exec sleep 30'];
    const child = spawn(process.execPath, [BIN, ...words], {
      cwd: user.home,
      env: { ...user.env, ...service.env },
    });
    await expect.poll(() => readdir(user.home)).toContain('began');
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([12, null]);
    expect(await recover(user, service.env)).toMatchObject([
      { state: 'kept', token: service.current() },
    ]);
  });

  // `--save` writes the profile before the request, with a library that listens to signals.
  it.each([{ flags: [] }, { flags: ['--save'] }])(
    'Ctrl-C waits for the response in flight $flags',
    async ({ flags }) => {
      const user = await newUserInProcess();
      const service = await startTokenService(slow);
      const env = flags.length > 0 ? await addProfile(user, service.env) : service.env;
      const words = ['auth-tokens', 'reset', '--api-key', 'key-1', '--yes', '-o', 'json', ...flags];
      const child = spawn(process.execPath, [BIN, ...words], {
        cwd: user.home,
        env: { ...user.env, ...env },
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
      // With a destination, the token is printed nowhere.
      if (flags.length > 0) expect(stdout).toBe('');
      else expect(JSON.parse(stdout).newAuthToken.token).toBe(service.current());
      expect(stderr).toContain('waiting for the response');
      expect(await listRecords(user.home)).toEqual([]);
    },
  );
});
