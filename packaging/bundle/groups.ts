import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { OutputChunk } from 'rolldown';
import { type ChunkNames, describeBundle } from './bundle.ts';

/**
 * Common command lines. Modules that are loaded by the same command lines share a chunk. Without
 * these groups, small shared modules would be scattered over dozens of chunks: they save 13 ms of
 * help and 86 ms of a call. No command line loads a module that it does not need. Groups never
 * import each other in a cycle, because a command line that loads a module also loads its imports.
 */
const COMMON_COMMANDS: readonly (readonly string[])[] = [
  ['--version'],
  ['--help'],
  ['users', 'add', '--help'],
  ['__complete', 'users', 'add', '--du'],
  ['history', '--help'],
  ['auth', 'status'],
  ['documents', 'list', '--org', 'acme'],
  ['documents', 'list', '--org', 'acme', '--local'],
  ['folders', 'list', '--org', 'acme', '--local'],
];

/** Stands for a program that imports the library. It must not load the embedded service. */
const LIBRARY: readonly string[] = ['the library'];

/**
 * Command lines that group the remaining modules. They load more files, so they do not split the
 * groups of common commands. The last one is grouped like those of settings.
 */
const OTHER_COMMANDS: readonly (readonly string[])[] = [
  LIBRARY,
  ['plan', '--help'],
  ['local', 'list', 'users', '--help'],
  ['webhooks', 'listen', '--help'],
  ['auth', 'status', '--help'],
  ['jobs', 'list', '--help'],
  ['users', 'add', '--org', 'acme', '--user', 'u2'],
  ['users', 'add', '--org', 'acme', '--user', 'u2', '--local'],
  ['webhooks', 'config', 'update', '--enable', '--local'],
  ['local', 'snapshot', 'save', 's1'],
  ['local', 'list', 'users'],
  ['jobs', 'list'],
  ['history'],
  ['plan', '--local'],
];

/**
 * Command lines that group the modules of settings as code, which would be in many small files.
 * They load modules of every resource, too, which stay separate, because a call needs only one.
 */
const SETTINGS_COMMANDS: readonly (readonly string[])[] = [
  ['apply', '--yes', '--local'],
  ['drift', '--local'],
  ['pull', '--org', 'acme', '--local'],
  ['local', 'reset', '--yes'],
];
/** Separates what resources import from what imports them, so that no group imports itself. */
const layerOf = (source: string) => {
  if (source.startsWith('src/catalog/')) return source;
  return /^(?:src\/kernel|node_modules)\//.test(source) ? 'kernel' : '';
};

const isService = (source: string) => /^(?:src\/service|node_modules\/kysely)\//.test(source);

/**
 * Separates the embedded service from what imports it, and from what it imports, so that a call of
 * another service does not load it. Commands without calls use only the kernel of what it imports.
 */
const serviceLayerOf = (source: string) => {
  if (isService(source)) return 'service';
  if (source.startsWith('src/kernel/')) return 'kernel';
  return /^src\/(?:catalog|client)\//.test(source) ? 'base' : '';
};

const SETTINGS_FILE = `
svc: 1
folders:
  - { organizationId: acme, folderId: f1, folderName: Plans }
`;

/** Command lines that create the records that the others print. */
const RECORDS: readonly (readonly string[])[] = [
  ['users', 'add', '--user', 'u1'],
  ['folders', 'add', '--folder', 'f1', '--name', 'Plans'],
  ['documents', 'add', '--document', 'd1'],
];

/** Script that runs a command line and prints the files that it loads to stderr. */
const TRACE_SCRIPT = `
  process.on('exit', () => {
    process.getBuiltinModule('node:fs').writeSync(2, '\\n' + Object.keys(require.cache).join('\\n'));
  });
  require(process.env.SVC_TRACED).main?.('');`;

/**
 * Measures which sources each common command line loads from a bundle without groups, and returns
 * the chunk for each of them.
 */
export async function measureGroups(
  ungrouped: readonly OutputChunk[],
  main: OutputChunk,
  library: OutputChunk,
): Promise<ChunkNames> {
  const home = await mkdtemp(join(tmpdir(), 'svc-build-'));
  // In the checkout, whose packages the bundle may load.
  const folder = resolve('dist/ungrouped');
  const sources = new Map(
    Object.entries(describeBundle(ungrouped)).map(([path, { inputs }]) => [
      join(folder, path.replace('dist/', '')),
      Object.keys(inputs),
    ]),
  );
  const server = createServer(({ url = '' }, response) => {
    const data = url.endsWith('/add') ? { u2: { success: true } } : [{ id: 'd1' }];
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ result: { status: 'success', data } }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const env = {
    HOME: home,
    APPDATA: home,
    LOCALAPPDATA: home,
    SYSTEMROOT: process.env['SYSTEMROOT'],
    SVC_BASE_URL: `http://127.0.0.1:${Object(server.address()).port}`,
    SVC_API_KEY: 'k',
    SVC_AUTH_TOKEN: 't',
  };
  const loadedBy = async (words: readonly string[]) => {
    const entry = words === LIBRARY ? library.fileName : main.fileName;
    const { stderr } = await promisify(execFile)(
      process.execPath,
      ['-e', TRACE_SCRIPT, 'svc', ...words],
      { env: { ...env, SVC_TRACED: join(folder, entry) }, cwd: home },
    );
    return stderr.split('\n').flatMap((file) => sources.get(file) ?? []);
  };
  const users = new Map<string, string>();
  const addUsers = (
    commands: readonly (readonly string[])[],
    loaded: readonly (readonly string[])[],
    partOf = (_source: string) => '',
  ) => {
    const grouped = new Set(users.keys());
    for (const [at, words] of commands.entries()) {
      for (const source of loaded[at]?.filter((each) => !grouped.has(each)) ?? [])
        users.set(source, `${users.get(source) ?? partOf(source)}${words.join(' ')}\n`);
    }
  };
  try {
    for (const { fileName, code } of ungrouped) {
      await mkdir(dirname(join(folder, fileName)), { recursive: true });
      await writeFile(join(folder, fileName), code);
    }
    await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }');
    await writeFile(join(home, 'svc.yaml'), SETTINGS_FILE);
    // Create the store and its records first: other runs create no store, and print the records.
    for (const record of RECORDS) await loadedBy([...record, '--org', 'acme', '--local']);
    addUsers(COMMON_COMMANDS, await Promise.all(COMMON_COMMANDS.map(loadedBy)));
    addUsers(OTHER_COMMANDS, await Promise.all(OTHER_COMMANDS.map(loadedBy)), layerOf);
    // One after the other, because each changes what the next one finds.
    const loaded = await Array.fromAsync(SETTINGS_COMMANDS, loadedBy);
    addUsers(SETTINGS_COMMANDS, loaded, layerOf);
  } finally {
    server.close();
    await rm(home, { recursive: true });
    await rm(folder, { recursive: true, force: true });
  }
  const embedded = new Set(
    [...users].flatMap(([source, commands]) => (isService(source) ? [commands] : [])),
  );
  const groups = new Map(
    Array.from(users, ([source, commands]) => [
      source,
      embedded.has(commands) ? `${serviceLayerOf(source)}${commands}` : commands,
    ]),
  );
  const names = [...new Set(groups.values())].sort();
  return new Map(Array.from(groups, ([source, group]) => [source, String(names.indexOf(group))]));
}
