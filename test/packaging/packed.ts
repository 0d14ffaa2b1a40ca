import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock } from '../../src/kernel/clock.ts';
import { withLock } from '../../src/kernel/lock.ts';
import { HOME } from '../acceptance/svc.ts';

const execute = promisify(execFile);

interface Packed {
  /** The folder of the package. */
  readonly folder: string;
  readonly tarball: string;
  readonly files: readonly string[];
  /** Size of the unpacked files in bytes. */
  readonly size: number;
}

/**
 * Packs the package from the bundle of this checkout. All files of a test run share the tarball,
 * which they must not change.
 */
export async function packPackage(): Promise<Packed> {
  const folder = join(tmpdir(), 'packed');
  const result = join(folder, 'result.json');
  await mkdir(folder, { recursive: true });
  return withLock(join(folder, 'lock'), { clock: systemClock, timeout: 100_000 }, async () => {
    const earlier = await readFile(result, 'utf8').catch(() => undefined);
    if (earlier !== undefined) return JSON.parse(earlier);
    const packed = await packInto(folder);
    await writeFile(result, JSON.stringify(packed));
    return packed;
  });
}

async function packInto(folder: string): Promise<Packed> {
  const root = join(folder, 'package');
  await cp(join(HOME, 'dist'), root, { recursive: true });
  await execute(process.execPath, ['packaging/package.ts', root], { cwd: HOME });
  const { stdout } = await execute('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: root,
  });
  const [{ filename, files, unpackedSize }] = JSON.parse(stdout);
  const paths = files.map(({ path }: { path: string }) => path);
  return { folder: root, tarball: join(folder, filename), files: paths, size: unpackedSize };
}

/** Runs npm offline with a separate home folder. */
export async function npm(words: readonly string[], cwd: string): Promise<void> {
  const env = {
    PATH: process.env['PATH'],
    HOME: cwd,
    npm_config_cache: join(cwd, '.npm'),
    npm_config_offline: 'true',
  };
  await execute('npm', words, { cwd, env });
}
