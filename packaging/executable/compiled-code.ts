import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Command lines that between them run what most others do. What they compile is kept. */
const COMMANDS: readonly (readonly string[])[] = [
  ['--version'],
  ['--help'],
  ['users', 'add', '--help'],
  ['__complete', 'users', 'add', '--du'],
  ['users', 'add', '--local', '--org', 'acme', '--user', 'u1'],
  ['folders', 'list', '--local', '--org', 'acme'],
  ['workspace', 'get', '--base-url', 'http://127.0.0.1:9', '--no-wait'],
];

/**
 * What V8 compiled of the modules when those command lines ran, by the name of the module: the larger of two, since each
 * holds what one run used. Only the same version of Node.js on the same kind of machine takes it.
 */
export async function compiledCode(
  files: ReadonlyMap<string, Uint8Array>,
  folder: string,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const kept = join(folder, 'compiled');
  await mkdir(kept, { recursive: true });
  const environment = {
    HOME: folder,
    SVC_API_KEY: 'key',
    SVC_AUTH_TOKEN: 'token',
    SVC_WORKSPACE_ID: 'workspace',
    SVC_WORKSPACE_AUTH_TOKEN: 'token',
  };
  const compiler = join(import.meta.dirname, 'compile.cjs');
  for (const [name, content] of files) await writeFile(join(kept, encodeURIComponent(name)), content);
  for (const words of COMMANDS) {
    const { status, stderr } = spawnSync(process.execPath, [compiler, ...words], {
      env: { ...environment, SVC_COMPILED: kept },
    });
    if (status === 1 || status === null) throw new Error(`svc ${words.join(' ')}: ${stderr}`);
  }
  const codes = (await readdir(kept)).filter((file) => file.endsWith('.code'));
  const entries = codes.map(async (file) => [decodeURIComponent(file), await readFile(join(kept, file))] as const);
  return new Map(await Promise.all(entries));
}
