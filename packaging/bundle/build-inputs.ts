import { createHash } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

/**
 * Files and folders that a build reads. npm's list of what it installed stands for the dependencies.
 */
export const INPUTS = [
  'bin/svc.js',
  'completions',
  'examples/snippets',
  'node_modules/.package-lock.json',
  'package.json',
  'packaging/build.ts',
  'packaging/bundle',
  'packaging/loader',
  'pages',
  'src',
  'tsconfig.json',
];
/** Hash of the inputs, written at the end, so that a build that failed has none. */
const HASH_FILE = 'dist/inputs.sha256';

/** Runs `build`, unless the project in this folder was built from the same inputs. */
export async function buildIfChanged(folder: string, build: () => Promise<unknown>) {
  const file = join(folder, HASH_FILE);
  const hash = await hashInputs(folder);
  if (hash === (await readFile(file, 'utf8').catch(() => undefined))) return;
  await build();
  // An input that changed meanwhile may have been read before or after its change.
  if (hash === (await hashInputs(folder))) await writeFile(file, hash);
}

async function hashInputs(folder: string): Promise<string> {
  const hash = createHash('sha256').update(process.version);
  for (const input of INPUTS)
    for (const path of await listFiles(join(folder, input)))
      hash.update(`\0${relative(folder, path)}\0`).update(await readFile(path));
  return hash.digest('hex');
}

async function listFiles(path: string): Promise<readonly string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
