import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Reads the bundle's files by name, such as `main.js` and `chunks/….js`. */
export async function readBundle(bundle: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const chunks = (await readdir(join(bundle, 'chunks'))).sort().map((name) => `chunks/${name}`);
  const files = ['main.js', ...chunks].map(
    async (name) => [name, await readFile(join(bundle, name))] as const,
  );
  return new Map(await Promise.all(files));
}
