import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { thisPlatform } from '../../kernel/io.ts';
import type { Candidate, CompletionDependencies } from './candidate.ts';

/** More than anyone reads in a terminal. */
const MOST_NAMES = 500;

/**
 * The files and folders that a path being typed may become; hidden ones once the dot is typed. On Windows folders end
 * with the separator that was typed, and are looked up with either.
 */
export async function fileCandidates(typed: string, dependencies: CompletionDependencies): Promise<Candidate[]> {
  const { cwd, environment, platform = thisPlatform } = dependencies;
  const isWindows = platform === 'win32';
  const end = Math.max(typed.lastIndexOf('/'), isWindows ? typed.lastIndexOf('\\') : -1) + 1;
  const [folder, begun] = [typed.slice(0, end), typed.slice(end)];
  const separator = folder.endsWith('\\') ? '\\' : '/';
  const path = isWindows ? folder.replaceAll('\\', '/') : folder;
  const home = environment['HOME'] ?? (isWindows ? environment['USERPROFILE'] : undefined);
  const real = home && path.startsWith('~/') ? join(home, path.slice(2)) : resolve(cwd, path);
  const entries = await readdir(real, { withFileTypes: true }).catch(() => []);
  const matching = entries
    .filter(({ name }) => name.startsWith(begun) && (begun.startsWith('.') || !name.startsWith('.')))
    .sort((a, b) => a.name.localeCompare(b.name, 'en'))
    .slice(0, MOST_NAMES);
  return Promise.all(
    matching.map(async (entry) => {
      const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && (await leadsToFolder(join(real, entry.name))));
      return { value: `${folder}${entry.name}${isFolder ? separator : ''}` };
    }),
  );
}

async function leadsToFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
