import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Command lines that together load most modules. The code that they compile is cached. */
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
 * Runs the command lines and collects V8's compiled code by module name. Each run compiles only the
 * code it uses, so the largest result is kept. Only the same version of Node.js on the same
 * platform can load the code.
 */
export async function compileModules(
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
  for (const [name, content] of files)
    await writeFile(join(kept, encodeURIComponent(name)), content);
  for (const words of COMMANDS) {
    const { status, stderr } = spawnSync(process.execPath, [compiler, ...words], {
      env: { ...environment, SVC_COMPILED: kept },
    });
    if (status === 1 || status === null) throw new Error(`svc ${words.join(' ')}: ${stderr}`);
  }
  const codes = (await readdir(kept)).filter((file) => file.endsWith('.code'));
  const entries = codes.map(
    async (file) => [decodeURIComponent(file), await readFile(join(kept, file))] as const,
  );
  return new Map(await Promise.all(entries));
}
