import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Reads the bundle's modules by name, such as `chunks/….js`. */
export async function readBundle(bundle: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const names = (await readdir(join(bundle, 'chunks'))).sort().map((name) => `chunks/${name}`);
  const files = names.map(async (name) => [name, await readFile(join(bundle, name))] as const);
  return new Map(await Promise.all(files));
}

/** Returns the name of the module with `main`. */
export function findMain(bundle: ReadonlyMap<string, Uint8Array>): string {
  const main = [...bundle.keys()].find((name) => /^chunks\/main-[\w-]{8}\.js$/.test(name));
  if (main === undefined) throw new Error('the bundle has no module main');
  return main;
}
