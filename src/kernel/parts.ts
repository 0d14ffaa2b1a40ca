import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { getRawAsset } from 'node:sea';
import { fileURLToPath } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { systemErrorCode } from './errors.ts';

/**
 * Parts of svc that are no modules of it: programs that run as a thread or a process, and what they read. A part lies
 * beside the module that asks for it, whose `import.meta.url` is `beside`: in the source, in the bundle, and under this
 * scheme in the executable, which holds the bundle's files as assets.
 */
const IN_EXECUTABLE = 'svc:';

/** Runs a program in a thread of its own. */
export function startThread(name: string, beside: string, options: WorkerOptions): Worker {
  const program = urlOf(`${name}${extname(beside)}`, beside);
  if (program.protocol !== IN_EXECUTABLE) return new Worker(program, options);
  const loader = asset(new URL('/loader.cjs', program)).toString('utf8');
  return new Worker(loader, { ...options, eval: true, argv: [program.href] });
}

/** The word that makes the Node.js that runs this run a program. */
export function programWord(name: string, beside: string): string {
  const program = urlOf(`${name}${extname(beside)}`, beside);
  return program.protocol === IN_EXECUTABLE ? program.href : fileURLToPath(program);
}

/** A file that the build made and laid there; nothing in the source. */
export async function builtFile(name: string, beside: string): Promise<Buffer | undefined> {
  const file = urlOf(name, beside);
  if (file.protocol === IN_EXECUTABLE) return asset(file);
  try {
    return await readFile(file);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function urlOf(name: string, beside: string): URL {
  return new URL(`./${name}`, beside);
}

function asset({ pathname }: URL): Buffer {
  return Buffer.from(getRawAsset(pathname.slice(1)));
}
