import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TARGETS } from '../../packaging/executable/targets.ts';
import { mockService, success } from '../acceptance/mock-service.ts';
import { HOME } from '../acceptance/svc.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const target = TARGETS.find(({ name }) => name === `${process.platform}-${process.arch}`);
const execute = promisify(execFile);

/** Runs a program with nothing around it: no Node.js on the path, an empty home. */
async function run(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const home = await temporaryFolder();
  const [program = '', ...rest] = words;
  const running = execute(program, rest, { cwd: home, env: { HOME: home, TMPDIR: home, ...env } });
  return running.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr, home }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr, home }),
  );
}

describe('the executables for other machines', () => {
  it('bring a Node.js that svc supports, and no two are of one name', async () => {
    const { optionalDependencies } = JSON.parse(await readFile(join(HOME, 'package.json'), 'utf8'));
    const versions = TARGETS.map(({ node }) => node.version ?? optionalDependencies[node.package]);
    for (const version of versions) expect(version).toMatch(/^(24\.(1[5-9]|[2-9]\d)|2[6-9]\.\d+)\.\d+$/);
    const machines = ['linux', 'win', 'darwin'].flatMap((system) => [`${system}-arm64`, `${system}-x64`]);
    expect(TARGETS.map(({ name }) => name).sort()).toEqual(machines.sort());
  });
});

describe.skipIf(!target)('the executable', () => {
  let folder: string;
  let svc: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-executable-'));
    await execute(process.execPath, ['executable.config.ts', '--to', folder], { cwd: HOME });
    svc = join(folder, `svc-${target?.name}${target?.suffix}`);
  }, 120_000);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('is one file that needs nothing beside it', async () => {
    expect(await readdir(folder)).toEqual([`svc-${target?.name}`]);
    const { version } = JSON.parse(await readFile(join(HOME, 'package.json'), 'utf8'));
    expect(await run([svc, '--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
    expect((await run([svc, '--help'])).stdout).toContain('svc help <command>');
    expect((await run([svc, '__complete', 'users', 'a'])).stdout).toMatch(/^add\t/);
  });

  it('answers from the embedded service, and filters with jq in a thread', async () => {
    const words = ['workspace', 'get', '--local', '--jq', '.apiKeyList | length'];
    expect(await run([svc, ...words])).toMatchObject({ code: 0, stdout: '1\n', stderr: '' });
  });

  it('calls a service over the network, once and with many records', async () => {
    const { env, received } = await mockService(({ path }) =>
      success(path.endsWith('/users/add') ? { u1: { success: true }, u2: { success: true } } : [{ id: 'd1' }]),
    );
    const users = join(await temporaryFolder(), 'users.ndjson');
    await writeFile(users, '{"userId":"u1"}\n{"userId":"u2"}\n');
    const many = await run([svc, 'users', 'add', '--org', 'acme', '--file', users, '-o', 'json'], env);
    expect(many).toMatchObject({ code: 0 });
    expect(JSON.parse(many.stdout)).toMatchObject({ total: 2, succeeded: 2 });
    const one = await run([svc, 'documents', 'list', '--org', 'acme', '--jq', '.[].id'], env);
    expect(one).toMatchObject({ code: 0, stdout: 'd1\n' });
    expect(received).toHaveLength(2);
  });

  it('brings its bridge to the keychain, in a process that leaves nothing behind', async () => {
    const words = ['profiles', 'add', 'p1', '--base-url', 'https://api.example.com', '--api-key', 'key-1'];
    const tokens = join(await temporaryFolder(), 'token');
    await writeFile(tokens, 'some-token-of-this-test\n');
    // Nobody listens there: what comes back is said by the system's own bridge.
    const bus = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' };
    const { code, stderr, home } = await run([svc, ...words, '--auth-token-file', tokens], bus);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('/nowhere') });
    expect(stderr).not.toContain('Cannot find');
    expect((await readdir(home)).filter((name) => name.startsWith('svc-'))).toEqual([]);
  });

  it('takes no orders for Node.js from the environment', async () => {
    expect(await run([svc, '--version'], { NODE_OPTIONS: '--no-such-option' })).toMatchObject({ code: 0 });
  });

  it('ends with the exit codes that scripts rely on', async () => {
    expect(await run([svc, 'users', 'ad'])).toMatchObject({ code: 2, stdout: '' });
    expect(await run([svc, 'users', 'add', '--org', 'acme', '--user', 'u1'])).toMatchObject({ code: 4, stdout: '' });
  });
});
