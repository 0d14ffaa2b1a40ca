import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TARGETS } from '../../packaging/executable/targets.ts';
import { startMockService, success } from '../acceptance/mock-service.ts';
import { HOME } from '../acceptance/svc.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';

/** Emulates another platform with Debian's packages `qemu-user` and `libstdc++6-arm64-cross`. */
const [EMULATOR, LIBRARIES] = ['/usr/bin/qemu-aarch64', '/usr/aarch64-linux-gnu'];
const own = `${process.platform}-${process.arch}`;
const MACHINES = [
  { machine: own, by: [], isHere: TARGETS.some(({ name }) => name === own) },
  {
    machine: 'linux-arm64',
    by: [EMULATOR, '-L', LIBRARIES],
    isHere:
      own === 'linux-x64' &&
      existsSync(EMULATOR) &&
      existsSync(join(LIBRARIES, 'lib', 'libstdc++.so.6')),
  },
];
const execute = promisify(execFile);

/** Runs a program in a minimal environment: no Node.js on the path, an empty home folder. */
async function run(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const home = await createTemporaryFolder();
  const [program = '', ...rest] = words;
  const running = execute(program, rest, { cwd: home, env: { HOME: home, TMPDIR: home, ...env } });
  return running.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr, home }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr, home }),
  );
}

describe('the executables', () => {
  it('contain a supported Node.js, for the platforms that tests can run', async () => {
    const { optionalDependencies } = JSON.parse(await readFile(join(HOME, 'package.json'), 'utf8'));
    const versions = TARGETS.map(({ node }) => optionalDependencies[node.package]);
    for (const version of versions)
      expect(version).toMatch(/^(24\.(1[5-9]|[2-9]\d)|2[6-9]\.\d+)\.\d+$/);
    expect(TARGETS.map(({ name }) => name)).toEqual(['linux-x64', 'linux-arm64', 'win-x64']);
  });
});

describe.each(MACHINES)(
  'the executable for $machine',
  { timeout: 120_000 },
  ({ machine, by, isHere }) => {
    const test = it.skipIf(!isHere);
    // The emulator cannot run processes that svc starts, and is too slow for time limits.
    const testHere = it.skipIf(machine !== own || !isHere);
    let folder: string;
    let svc: readonly string[];

    beforeAll(async () => {
      if (!isHere) return;
      folder = await mkdtemp(join(tmpdir(), 'svc-executable-'));
      await execute(process.execPath, ['packaging/executables.ts', '--to', folder, machine], {
        cwd: HOME,
      });
      svc = [...by, join(folder, `svc-${machine}`)];
    }, 240_000);

    afterAll(async () => {
      if (isHere) await rm(folder, { recursive: true, force: true });
    });

    test('is a single self-contained file', async () => {
      expect(await readdir(folder)).toEqual([`svc-${machine}`]);
      const { version } = JSON.parse(await readFile(join(HOME, 'package.json'), 'utf8'));
      expect(await run([...svc, '--version'])).toMatchObject({
        code: 0,
        stdout: `${version}\n`,
        stderr: '',
      });
      expect((await run([...svc, '--help'])).stdout).toContain('svc help <command>');
      expect((await run([...svc, '__complete', 'users', 'a'])).stdout).toMatch(/^add\t/);
    });

    test('records no folder of its build', async () => {
      const [file = ''] = svc.slice(by.length);
      const bytes = await readFile(file);
      expect(bytes.includes('loader.cjs')).toBe(true);
      for (const built of [HOME, join(tmpdir(), 'svc-executable-')])
        expect(bytes.includes(built), built).toBe(false);
    });

    test('stores the data of the embedded service in a file', async () => {
      const store = join(await createTemporaryFolder(), 'service.sqlite');
      const words = ['--local', '--org', 'acme', '-o', 'json', '--store', store];
      const added = await run([
        ...svc,
        'documents',
        'add',
        '--document',
        'd1',
        '--name',
        'One',
        ...words,
      ]);
      expect(added.code, added.stderr).toBe(0);
      expect(JSON.parse(added.stderr)).toEqual({
        note: { level: 'info', message: 'Created organization acme' },
      });
      const { stdout } = await run([...svc, 'documents', 'list', ...words]);
      expect(JSON.parse(stdout)).toMatchObject([{ id: 'd1', documentName: 'One' }]);
    });

    testHere('answers from the embedded service, and filters with jq', async () => {
      const words = ['workspace', 'get', '--local', '--jq', '.apiKeyList | length'];
      expect(await run([...svc, ...words])).toMatchObject({ code: 0, stdout: '1\n', stderr: '' });
    });

    test('calls a service over the network, with one and with many records', async () => {
      const { env, received } = await startMockService(({ path }) =>
        success(
          path.endsWith('/users/add')
            ? { u1: { success: true }, u2: { success: true } }
            : [{ id: 'd1' }],
        ),
      );
      const users = join(await createTemporaryFolder(), 'users.ndjson');
      await writeFile(users, '{"userId":"u1"}\n{"userId":"u2"}\n');
      const many = await run(
        [...svc, 'users', 'add', '--org', 'acme', '--file', users, '-o', 'json'],
        env,
      );
      expect(many).toMatchObject({ code: 0 });
      expect(JSON.parse(many.stdout)).toMatchObject({ total: 2, succeeded: 2 });
      const one = await run([...svc, 'documents', 'list', '--org', 'acme', '-o', 'ndjson'], env);
      expect(one).toMatchObject({ code: 0, stdout: '{"id":"d1"}\n' });
      expect(received).toHaveLength(2);
    });

    testHere(
      'brings its bridge to the keychain, in a process that leaves nothing behind',
      async () => {
        const words = [
          'profiles',
          'add',
          'p1',
          '--base-url',
          'https://api.example.com',
          '--api-key',
          'key-1',
        ];
        const tokens = join(await createTemporaryFolder(), 'token');
        await writeFile(tokens, 'some-token-of-this-test\n');
        // No service listens there: the error comes from the native keychain bridge.
        const bus = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' };
        const { code, stderr, home } = await run(
          [...svc, ...words, '--auth-token-file', tokens],
          bus,
        );
        expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('/nowhere') });
        expect(stderr).not.toContain('Cannot find');
        expect((await readdir(home)).filter((name) => name.startsWith('svc-'))).toEqual([]);
      },
    );

    test('ignores NODE_OPTIONS', async () => {
      expect(await run([...svc, '--version'], { NODE_OPTIONS: '--no-such-option' })).toMatchObject({
        code: 0,
      });
    });

    test('exits with the documented exit codes', async () => {
      expect(await run([...svc, 'users', 'ad'])).toMatchObject({ code: 2, stdout: '' });
      expect(await run([...svc, 'users', 'add', '--org', 'acme', '--user', 'u1'])).toMatchObject({
        code: 4,
        stdout: '',
      });
    });
  },
);
