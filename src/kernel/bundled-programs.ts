import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemErrorCode } from './errors.ts';

/**
 * URL scheme of modules in the executable, which stores the files of the bundle as assets. Programs
 * and data files are next to the module that uses them: in the source, the bundle, and the
 * executable. `moduleUrl` is that module's `import.meta.url`.
 */
const EXECUTABLE_SCHEME = 'svc:';

/** Returns the arguments of Node.js, or of the executable, that start a program. */
export function programArguments(name: string, moduleUrl: string): readonly string[] {
  const extension = extname(moduleUrl);
  const program = siblingUrl(`${name}${extension}`, moduleUrl);
  if (program.protocol === EXECUTABLE_SCHEME) return [program.href];
  if (extension === '.ts') return [fileURLToPath(program)];
  // The modules of the bundle need its loader.
  return [fileURLToPath(new URL('../loader.cjs', moduleUrl)), `chunks/${name}.js`];
}

export async function readBuildFile(name: string, moduleUrl: string): Promise<Buffer | undefined> {
  const file = siblingUrl(name, moduleUrl);
  if (file.protocol === EXECUTABLE_SCHEME) {
    // Only executables have this module; Bun and Deno don't.
    const { getRawAsset } = await import('node:sea');
    return Buffer.from(getRawAsset(file.pathname.slice(1)));
  }
  try {
    return await readFile(file);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Reads a text file of the project, by its path. The build puts a copy beside the chunks. */
export async function readProjectFile(path: string): Promise<string> {
  const copy = await readBuildFile(basename(path), import.meta.url);
  return String(copy ?? (await readFile(new URL(`../../${path}`, import.meta.url))));
}

function siblingUrl(name: string, moduleUrl: string): URL {
  return new URL(`./${name}`, moduleUrl);
}
