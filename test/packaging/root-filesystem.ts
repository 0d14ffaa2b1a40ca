import { execFile, execFileSync } from 'node:child_process';
import { chmod, cp, mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Programs that the instructions of the image and the commands of a user run. */
const PROGRAMS = ['sh', 'env', 'id', 'install', 'rm', 'sleep'];

/** Whether this machine lets a test run processes in a root file system of their own. */
export const hasRootFilesystems = canEnterNamespaces();

function canEnterNamespaces(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  try {
    execFileSync('unshare', ['--mount', '--net', 'ip', 'link', 'set', 'lo', 'up']);
    execFileSync('which', ['chroot', 'ldd', 'mknod', ...PROGRAMS]);
    return true;
  } catch {
    return false;
  }
}

/** A root file system in a folder, which stands in for a container. */
export interface RootFilesystem {
  /** Runs a script as root without a network, with a writable file system. */
  readonly build: (script: string) => Promise<string>;
  /**
   * Runs a script like a container with `--network none --read-only --tmpfs /tmp` and the volume
   * `/data`.
   */
  readonly run: (script: string, env: Readonly<Record<string, string>>) => Promise<string>;
}

/** Creates the base image of svc in an empty folder: Node.js, npm, a shell, and the user `node`. */
export async function createRootFilesystem(root: string): Promise<RootFilesystem> {
  await chmod(root, 0o755);
  for (const folder of ['dev', 'etc', 'proc', 'tmp', 'usr/local/bin', 'work'])
    await mkdir(join(root, folder), { recursive: true });
  for (const name of PROGRAMS) await copyProgram(root, await which(name));
  await copyProgram(root, process.execPath, 'usr/local/bin/node');
  await copyNpm(root);
  await writeFile(join(root, 'etc/passwd'), 'root:x:0:0::/tmp:/bin/sh\nnode:x:1000:1000::/tmp:/\n');
  await writeFile(join(root, 'etc/group'), 'root:x:0:\nnode:x:1000:\n');
  await execute('mknod', ['-m', '666', join(root, 'dev/null'), 'c', '1', '3']);
  const enter = async (lines: readonly string[], words: readonly string[]) => {
    const setup = ['set -e', 'ip link set lo up', ...lines, 'root=$1; shift; exec chroot "$@"'];
    const line = ['--mount', '--net', 'sh', '-c', setup.join('\n'), 'sh', root, ...words];
    const { stdout, stderr } = await execute('unshare', line, { timeout: 120_000 });
    return stdout + stderr;
  };
  const start = (env: Readonly<Record<string, string>>, script: string) => [
    '/usr/bin/env',
    '-i',
    'PATH=/usr/local/bin:/usr/bin:/bin',
    ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
    'sh',
    '-ec',
    script,
  ];
  return {
    build: (script) =>
      enter([], [root, ...start({ HOME: '/tmp', npm_config_offline: 'true' }, script)]),
    run: (script, env) =>
      enter(
        [
          'mount --bind "$1" "$1"',
          'mount --bind "$1/data" "$1/data"',
          'mount -t tmpfs tmpfs "$1/tmp"',
          'mount -t proc proc "$1/proc"',
          'mount -o remount,bind,ro "$1"',
        ],
        ['--userspec=1000:1000', root, ...start(env, `cd /work\n${script}`)],
      ),
  };
}

async function which(name: string): Promise<string> {
  return (await execute('which', [name])).stdout.trim();
}

/** Copies a program to the same path in a root file system, with the libraries that it loads. */
async function copyProgram(root: string, program: string, to = program): Promise<void> {
  const { stdout } = await execute('ldd', [program]);
  const libraries = Array.from(stdout.matchAll(/(\/\S+) \(0x/g), ([, path = '']) => path);
  for (const [from, path] of [[program, to] as const, ...libraries.map((each) => [each, each])]) {
    const target = join(root, path ?? '');
    await mkdir(dirname(target), { recursive: true });
    await cp(await realpath(from ?? ''), target);
  }
}

async function copyNpm(root: string): Promise<void> {
  const program = await realpath(await which('npm'));
  const folder = dirname(dirname(program));
  await cp(folder, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true });
  await symlink(
    `../lib/node_modules/npm/bin/${basename(program)}`,
    join(root, 'usr/local/bin/npm'),
  );
}
