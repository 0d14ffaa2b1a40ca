import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Candidate, CompletionWorld } from './candidate.ts';

/** More than anyone reads in a terminal. */
const MOST_NAMES = 500;

/** The files and folders that a path being typed may become; hidden ones once the dot is typed. */
export async function fileCandidates(typed: string, { cwd, environment }: CompletionWorld): Promise<Candidate[]> {
  const folder = typed.slice(0, typed.lastIndexOf('/') + 1);
  const begun = typed.slice(folder.length);
  const home = environment['HOME'];
  const real = home && folder.startsWith('~/') ? join(home, folder.slice(2)) : resolve(cwd, folder);
  const entries = await readdir(real, { withFileTypes: true }).catch(() => []);
  const matching = entries
    .filter(({ name }) => name.startsWith(begun) && (begun.startsWith('.') || !name.startsWith('.')))
    .sort((a, b) => a.name.localeCompare(b.name, 'en'))
    .slice(0, MOST_NAMES);
  return Promise.all(
    matching.map(async (entry) => {
      const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && (await leadsToFolder(join(real, entry.name))));
      return { value: `${folder}${entry.name}${isFolder ? '/' : ''}` };
    }),
  );
}

async function leadsToFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
