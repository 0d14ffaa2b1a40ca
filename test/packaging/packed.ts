import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { HOME } from '../acceptance/svc.ts';

const execute = promisify(execFile);

/** Packs the package from the bundle of this checkout into a tarball in the caller's folder. */
export async function packedInto(folder: string): Promise<{ tarball: string; files: readonly string[]; size: number }> {
  const root = join(folder, 'package');
  await cp(join(HOME, 'dist'), root, { recursive: true });
  await execute(process.execPath, ['package.config.ts', root], { cwd: HOME });
  const { stdout } = await execute('npm', ['pack', '--json', '--pack-destination', folder], { cwd: root });
  const [{ filename, files, unpackedSize }] = JSON.parse(stdout);
  const paths = files.map(({ path }: { path: string }) => path);
  return { tarball: join(folder, filename), files: paths, size: unpackedSize };
}

/** Runs npm offline with a separate home folder. */
export async function npm(words: readonly string[], cwd: string): Promise<void> {
  const env = { PATH: process.env['PATH'], HOME: cwd, npm_config_cache: join(cwd, '.npm'), npm_config_offline: 'true' };
  await execute('npm', words, { cwd, env });
}
