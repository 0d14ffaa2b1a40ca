import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSpawnError, reachesCommandDirectly } from '../../src/commands/local/exec.ts';
import { eventually } from '../eventually.ts';
import { SLOW } from '../slow.ts';
import { newUserInProcess } from './in-process.ts';
import { startServing } from './serving.ts';
import { BIN, newUser } from './svc.ts';
import { startTerminal } from './terminal.ts';

const NODE = process.execPath;
const script = (code: string) => [NODE, '-e', code] as const;

describe('svc local exec', () => {
  it('points the command to the service, overrides other settings, and returns its exit code', async () => {
    const { svc } = await newUser();
    const print =
      'console.log(JSON.stringify(Object.entries(process.env).filter(([n]) => n.startsWith("SVC_"))));';
    const env = {
      SVC_PROFILE: 'nobody',
      SVC_HEADER_PREFIX: 'x-other-',
      SVC_BASE_URL: 'http://127.0.0.1:1',
      SVC_ORG: 'acme',
    };
    const run = await svc(['local', 'exec', '--', ...script(`${print} process.exitCode = 7`)], {
      env,
    });
    expect(run).toMatchObject({ code: 7, stderr: '' });
    const variables = Object.fromEntries(JSON.parse(run.stdout));
    expect(variables).toEqual({
      SVC_BASE_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      SVC_HEADER_PREFIX: 'x-svc-',
      SVC_ORG: 'acme',
      SVC_API_KEY: expect.stringMatching(/./),
      SVC_AUTH_TOKEN: expect.stringMatching(/./),
      SVC_WORKSPACE_ID: expect.stringMatching(/./),
      SVC_WORKSPACE_AUTH_TOKEN: expect.stringMatching(/./),
    });
    await expect(fetch(`${variables['SVC_BASE_URL']}/healthz`)).rejects.toThrow();
  });

  it('shares its data with svc --local in the command', SLOW, async () => {
    const { svc, start } = await newUserInProcess();
    const add = ['users', 'add', '--org', 'acme', '--user', 'u1'];
    const remote = await start(['local', 'exec', '--', NODE, BIN, ...add]).ended;
    expect(remote.code, remote.stderr).toBe(0);
    const alsoLocal = ['users', 'add', '--local', '--org', 'acme', '--user', 'u2'];
    const local = await start(['local', 'exec', '--', NODE, BIN, ...alsoLocal]).ended;
    expect(local.code, local.stderr).toBe(0);
    const { stdout } = await svc(['local', 'export']);
    expect(JSON.parse(stdout).users).toMatchObject([{ userId: 'u1' }, { userId: 'u2' }]);
  });

  it('passes all arguments after -- and the streams to the command', async () => {
    const { svc } = await newUser();
    const echo = 'process.stdin.pipe(process.stderr); console.log(process.argv.slice(1).join("|"))';
    const words = ['--help', '-o', 'yaml', '--', '--local', '', 'help'];
    const run = await svc(['local', 'exec', '--', ...script(echo), '--', ...words], {
      stdin: 'in',
    });
    expect(run).toEqual({ code: 0, stdout: `${words.join('|')}\n`, stderr: 'in' });
  });

  it('fails for a missing command', async () => {
    const { svc } = await newUserInProcess();
    const run = await svc(['local', 'exec', '--', 'no-such-command', '-o', 'json']);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toMatch(/^svc: command not found: no-such-command\nhint: /);
    expect(createSpawnError('x', new Error(), 'win32').hint).toMatch(/cmd \/c "…"$/);
    const below = `${process.execPath}/command`;
    expect(await svc(['local', 'exec', '--', below])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`cannot run '${below}': ENOTDIR`),
    });
    expect((await svc(['local', 'exec'])).code).toBe(2);
    expect(
      (await svc(['local', 'exec', '--dry-run', '--', ...script('process.exitCode = 1')])).code,
    ).toBe(2);
  });

  it('maps a signal that ended the command to an exit code like shells do', async () => {
    const { svc } = await newUser();
    expect(
      (await svc(['local', 'exec', '--', ...script('process.kill(process.pid, "SIGKILL")')])).code,
    ).toBe(137);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'forwards every %s and waits for the command',
    async (signal) => {
      const { env, home } = await newUser();
      const code = `let n = 0; setInterval(() => {}, 1000);
      process.on('${signal}', () => { n += 1; console.log(n); if (n === 2) process.exit(9); });
      console.log('ready');`;
      const child = spawn(NODE, [BIN, 'local', 'exec', '--', ...script(code)], { env, cwd: home });
      onTestFinished(() => void child.kill('SIGKILL'));
      for (const expected of ['ready\n', '1\n', '2\n']) {
        const [text] = await once(child.stdout.setEncoding('utf8'), 'data');
        expect(text).toBe(expected);
        if (expected !== '2\n') child.kill(signal);
      }
      expect(await once(child, 'close')).toEqual([9, null]);
    },
  );
});

describe('signals on Windows', () => {
  it('reach every process on the console, so that none is forwarded', () => {
    const signals = ['SIGINT', 'SIGHUP', 'SIGBREAK', 'SIGTERM'] as const;
    expect(signals.map((signal) => reachesCommandDirectly(signal, false, 'win32'))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(signals.map((signal) => reachesCommandDirectly(signal, true, 'linux'))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(signals.map((signal) => reachesCommandDirectly(signal, false, 'linux'))).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  it('include Ctrl-Break, which works like Ctrl-C', async () => {
    const { env, home } = await newUser();
    const asWindows =
      "data:text/javascript,process.on('SIGUSR2', () => process.emit('SIGBREAK', 'SIGBREAK'))";
    const server = spawn(NODE, ['--import', asWindows, BIN, 'serve', '--port', '0', '-o', 'json'], {
      env,
      cwd: home,
    });
    onTestFinished(() => void server.kill('SIGKILL'));
    await once(server.stdout, 'data');
    server.kill('SIGUSR2');
    expect(await once(server, 'close')).toEqual([130, null]);
  });
});

describe('svc local exec in a terminal', () => {
  it('leaves Ctrl-C to the command, which receives it once from the terminal', async () => {
    const { env } = await newUser();
    const code = `let n = 0; setInterval(() => {}, 1000);
      process.on('SIGINT', () => { n += 1; console.log('told ' + n); if (n === 3) process.exit(4); });
      console.log('ready');`;
    const screen = startTerminal(['local', 'exec', '--', ...script(code)], env);
    await screen.shows('ready');
    for (const count of [1, 2, 3]) {
      screen.type('\u0003');
      await screen.shows(`told ${count}`);
    }
    expect(await screen.ended).toBe(4);
  });

  it('supports interactive commands', async () => {
    const { env } = await newUser();
    const code = `require('node:readline').createInterface(process.stdin, process.stdout)
      .question('name? ', (name) => process.exit(name.length));`;
    const screen = startTerminal(['local', 'exec', '--', ...script(code)], env);
    await screen.shows('name? ');
    screen.type('Ada\r');
    expect(await screen.ended).toBe(3);
  });
});

describe('svc local import and export', () => {
  it('copy a store through a pipe, also next to a server', SLOW, async () => {
    const { svc, start, env, home } = await newUserInProcess();
    const server = spawn(NODE, [BIN, 'serve', '--port', '0', '-o', 'json'], { env, cwd: home });
    onTestFinished(() => void server.kill('SIGKILL'));
    await once(server.stdout, 'data');
    const folders = [
      { organizationId: 'acme', folderId: 'b', parentFolderId: 'a' },
      { organizationId: 'acme', folderId: 'a' },
    ];
    await writeFile(join(home, 'state.json'), JSON.stringify({ folders }));
    const imported = await svc(['local', 'import', 'state.json', '-o', 'json']);
    expect(imported.code, imported.stderr).toBe(0);
    expect(JSON.parse(imported.stdout)).toMatchObject({ folders: 2 });
    const exported = await svc(['local', 'export', '-o', 'yaml']);
    const copy = ['--store', join(home, 'copy.sqlite')];
    const copied = await start(['local', 'import', '-', ...copy], { stdin: exported.stdout }).ended;
    expect(copied.code, copied.stderr).toBe(0);
    expect((await svc(['local', 'export', '-o', 'yaml', ...copy])).stdout).toBe(exported.stdout);
    const tree = await svc(['folders', 'list', '--local', '--org', 'acme', '-o', 'json']);
    expect(JSON.parse(tree.stdout)).toMatchObject([
      { folderId: 'a' },
      { folderId: 'b', ancestors: ['root', 'a'] },
    ]);
  });

  it('report an invalid file in one line with the position', async () => {
    const { svc, home } = await newUserInProcess();
    await writeFile(join(home, 'state.yaml'), 'users:\n  - organizationId: acme\n');
    expect(await svc(['local', 'import', 'state.yaml'])).toEqual({
      code: 3,
      stdout: '',
      stderr:
        'svc: state.yaml: users[0].userId: is required\n' +
        'hint: nothing was written; fix the file and import it again\n',
    });
  });
});

it('svc local reset asks for confirmation, and needs --yes without a terminal', async () => {
  const { svc } = await newUserInProcess();
  await svc(['users', 'add', '--local', '--org', 'acme', '--user', 'u1']);
  const refused = await svc(['local', 'reset']);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(JSON.parse((await svc(['local', 'export'])).stdout).users).toHaveLength(1);
  expect((await svc(['local', 'reset', '--yes'])).code).toBe(0);
  expect(JSON.parse((await svc(['local', 'export'])).stdout).users).toEqual([]);
});

describe('an unusable store', () => {
  const addMany = (count: number) =>
    JSON.stringify(
      Array.from({ length: count }, (_, at) => ({ userId: `u${at}`, name: 'x'.repeat(400) })),
    );

  it('ends each command with exit code 12, its path, and the cause if it is damaged', async () => {
    const { svc, start, home } = await newUserInProcess();
    const path = join(home, 'store.sqlite');
    const at = ['--local', '--store', path];
    const add = ['users', 'add', '--org', 'acme', '--file', '-', '--input-format', 'json', ...at];
    expect((await svc(add, { stdin: addMany(500) })).code).toBe(0);
    const bytes = await readFile(path);
    for (let page = 4096; page < bytes.length; page += 4096) randomBytes(64).copy(bytes, page);
    await writeFile(path, bytes);
    const commands = [
      ['folders', 'list', '--org', 'acme', ...at],
      ['users', 'add', '--org', 'acme', '--user', 'u1', ...at],
      ['local', 'export', '--store', path],
    ];
    const runs = await Promise.all([
      ...commands.map((words) => svc(words)),
      start(['serve', '--port', '0', '--store', path]).ended,
    ]);
    for (const run of runs) {
      expect([run.code, run.stdout], run.stderr).toEqual([12, '']);
      expect(run.stderr).toMatch(
        new RegExp(`^svc: the store ${path} is damaged: database disk image is malformed\\nhint: `),
      );
    }
  });

  const canMount =
    spawnSync('sh', ['-c', 'd=$(mktemp -d) && mount -t tmpfs tmpfs $d && umount $d']).status === 0;

  it.runIf(canMount)(
    'on a full disk ends a command with exit code 12, while svc serve keeps running until space is available',
    SLOW,
    async () => {
      const user = await newUserInProcess();
      const disk = join(user.home, 'disk');
      await mkdir(disk);
      spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1500k', 'tmpfs', disk]);
      onTestFinished(() => void spawnSync('umount', ['-l', disk]));
      const at = ['--store', join(disk, 'store.sqlite')];
      const server = await startServing(user, ...at);
      const many = { organizationId: 'acme', users: JSON.parse(addMany(100)) };
      await writeFile(join(disk, 'fill'), Buffer.alloc(2_000_000)).catch(() => undefined);
      const refused = await server.call('/v1/users/add', many);
      expect(refused).toMatchObject({
        status: 429,
        body: {
          error: { status: 'RESOURCE_EXHAUSTED', message: 'The disk of the store is full.' },
        },
      });
      await eventually(() =>
        expect(server.stderr()).toContain(`the disk is full: the store ${at[1]} cannot be written`),
      );
      await rm(join(disk, 'fill'));
      expect(await server.call('/v1/users/add', many)).toMatchObject({ status: 200 });
      await writeFile(join(user.home, 'users.json'), addMany(5_000));
      const run = await user.start([
        'users',
        'add',
        '--local',
        '--org',
        'acme',
        '--file',
        'users.json',
        ...at,
      ]).ended;
      expect(run.code, run.stderr).toBe(12);
      const [, job = ''] = /jobs resume (\S+)/.exec(run.stderr) ?? [];
      expect(run.stderr).toMatch(/^svc: the disk is full: .*, [\d,]+ of 5,000 users not sent$/m);
      spawnSync('mount', ['-o', 'remount,size=50m', disk]);
      const resumed = await user.svc(['jobs', 'resume', job, '-o', 'json']);
      expect(resumed.code, resumed.stderr).toBe(0);
      expect(JSON.parse(resumed.stdout)).toMatchObject({ total: 5_000, succeeded: 5_000 });
      expect(await server.end('SIGTERM')).toBe(0);
    },
  );
});
