import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { currentPlatform } from '../../kernel/process.ts';
import type { Candidate, CompletionDependencies } from './candidate.ts';

const MAX_NAMES = 500;

export async function fileCandidates(
  typed: string,
  dependencies: CompletionDependencies,
): Promise<Candidate[]> {
  const { cwd, environment, platform = currentPlatform } = dependencies;
  const isWindows = platform === 'win32';
  const end = Math.max(typed.lastIndexOf('/'), isWindows ? typed.lastIndexOf('\\') : -1) + 1;
  const [folder, partialName] = [typed.slice(0, end), typed.slice(end)];
  const separator = folder.endsWith('\\') ? '\\' : '/';
  const path = isWindows ? folder.replaceAll('\\', '/') : folder;
  const home = environment['HOME'] ?? (isWindows ? environment['USERPROFILE'] : undefined);
  const real = home && path.startsWith('~/') ? join(home, path.slice(2)) : resolve(cwd, path);
  const entries = await readdir(real, { withFileTypes: true }).catch(() => []);
  const matching = entries
    .filter(
      ({ name }) =>
        name.startsWith(partialName) && (partialName.startsWith('.') || !name.startsWith('.')),
    )
    .sort((a, b) => a.name.localeCompare(b.name, 'en'))
    .slice(0, MAX_NAMES);
  return Promise.all(
    matching.map(async (entry) => {
      const found = entry.isSymbolicLink()
        ? await stat(join(real, entry.name)).catch(() => undefined)
        : entry;
      return { value: `${folder}${entry.name}${found?.isDirectory() ? separator : ''}` };
    }),
  );
}
