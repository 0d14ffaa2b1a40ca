import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { HOME } from '../acceptance/svc.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';
import { packPackage } from './packed.ts';
import { startRegistry } from './registry.ts';
import { fetchTool, runsNativeTools } from './tools.ts';

const execute = promisify(execFile);

/** Publishes the package to a registry on this machine. */
async function publish() {
  const { url } = await startRegistry();
  const { tarball } = await packPackage();
  const home = await createTemporaryFolder();
  await writeFile(join(home, '.npmrc'), `//${new URL(url).host}/:_authToken=for-this-test\n`);
  const words = ['publish', tarball, '--registry', url, '--provenance=false'];
  const env = { PATH: process.env['PATH'], HOME: home };
  await execute('npm', words, { cwd: home, env });
  return { url, again: () => execute('npm', words, { cwd: home, env }) };
}

/**
 * A project of a user of one package manager. Its environment has no access to other registries.
 */
async function newProject(url: string) {
  const folder = await createTemporaryFolder();
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'site', private: true }));
  await writeFile(join(folder, '.npmrc'), `registry=${url}\n`);
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
    HOME: folder,
    npm_config_registry: url,
    YARN_NPM_REGISTRY_SERVER: url,
    YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
    YARN_ENABLE_TELEMETRY: '0',
    YARN_ENABLE_GLOBAL_CACHE: '0',
    BUN_INSTALL_CACHE_DIR: join(folder, '.bun-cache'),
  };
  const run = (program: string, words: readonly string[]) =>
    execute(program, words, { cwd: folder, env }).catch(({ message, stdout }) => {
      throw new Error(`${message}${stdout}`);
    });
  return { folder, run };
}

/** Imports a file as a job: uses the journal, the store, and a library in the bundle. */
const JOB = ['users', 'add', '--local', '--org', 'acme', '--yes', '-o', 'json', '--file'];
const FILE = join(HOME, 'examples', 'users.yaml');
const NAME = '@collab-svc/svc';

interface Manager {
  readonly manager: string;
  /** The program and the first words of each of its commands. */
  readonly program: () => Promise<readonly [string, ...string[]]>;
  readonly add: readonly string[];
  readonly exec: readonly string[];
}

const MANAGERS: readonly Manager[] = [
  {
    manager: 'npm',
    program: async () => ['npm'],
    add: ['install', NAME, '--no-audit', '--no-fund'],
    exec: ['exec', '--offline', '--', 'svc'],
  },
  {
    manager: 'pnpm',
    program: async () => [process.execPath, await fetchTool('pnpm')],
    add: ['add', NAME, '--store-dir', '.store'],
    exec: ['exec', 'svc'],
  },
  {
    manager: "Yarn's Plug'n'Play",
    program: async () => [process.execPath, await fetchTool('yarn')],
    add: ['add', NAME],
    exec: ['run', 'svc'],
  },
  {
    manager: 'Bun',
    program: async () => [await fetchTool('bun')],
    add: ['add', NAME],
    exec: ['x', 'svc'],
  },
];

describe('the published package', () => {
  it('has exactly the intended files', async () => {
    const { tarball } = await packPackage();
    const folder = await createTemporaryFolder();
    const words = ['publish', tarball, '--dry-run', '--json', '--provenance=false'];
    const { stdout } = await execute('npm', words, { cwd: folder });
    const published = JSON.parse(stdout);
    const { files } = published[NAME] ?? published;
    const paths: readonly string[] = files.map(({ path }: { path: string }) => path);
    const groups = paths.map((path) => path.replace(/(?<=^(?:chunks|man|types)\/).*/, '*'));
    expect([...new Set(groups)].sort()).toEqual([
      'LICENSE',
      'README.md',
      'THIRD-PARTY-NOTICES.txt',
      'bin/package.json',
      'bin/svc.js',
      'check-node.js',
      'chunks/*',
      'index.js',
      'loader.cjs',
      'man/*',
      'package.json',
      'sbom.cdx.json',
      'skills/svc/SKILL.md',
      'types/*',
    ]);
    const types = new Set(paths.map((path) => basename(path).replace(/^[^.]*/, '')));
    expect([...types].filter((type) => /ts$|map$|env|key|sqlite/.test(type))).toEqual(['.d.ts']);
  });

  it('cannot be published twice', async () => {
    const { again } = await publish();
    await expect(again()).rejects.toThrow();
  });

  it.skipIf(!runsNativeTools).each(MANAGERS)(
    'is installed by $manager from a registry, and imports a file',
    { timeout: 120_000 },
    async ({ program, add, exec }) => {
      const { url } = await publish();
      const { folder, run } = await newProject(url);
      const [first, ...start] = await program();
      await run(first, [...start, ...add]);
      const { version } = JSON.parse(await readFile(join(HOME, 'package.json'), 'utf8'));
      const shown = await run(first, [...start, ...exec, '--version']);
      expect(shown.stdout.trim()).toBe(version);
      const { stdout } = await run(first, [...start, ...exec, ...JOB, FILE]);
      expect(JSON.parse(stdout)).toMatchObject({ total: 10, succeeded: 10 });
      const { dependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
      expect(dependencies).toEqual({ [NAME]: `^${version}` });
    },
  );
});
