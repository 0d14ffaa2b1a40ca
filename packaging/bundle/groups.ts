import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join, resolve as resolvePath } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type BuildResult, build, type Metafile, type Plugin } from 'esbuild';
import { type Bundle, dropImports, mergeStubs } from './merge-stubs.ts';

type GroupedBuild = BuildResult<{ metafile: true; write: false }>;

/**
 * Common command lines. Modules that are loaded by the same command lines share a chunk. Without
 * these groups, esbuild scatters small shared modules over dozens of chunks: they save 13 ms of help
 * and 86 ms of a call. No command line loads a module that it does not need. Groups never import each other in a
 * cycle, because a command line that loads a module also loads its imports.
 */
const COMMON_COMMANDS: readonly (readonly string[])[] = [
  ['--help'],
  ['users', 'add', '--help'],
  ['__complete', 'users', 'add', '--du'],
  ['auth', 'status'],
  ['documents', 'list', '--org', 'acme'],
  ['documents', 'list', '--org', 'acme', '--local'],
  ['folders', 'list', '--org', 'acme', '--local'],
];

/**
 * Command lines that group the remaining modules. They load more files, so they do not split the
 * groups of common commands.
 */
const OTHER_COMMANDS: readonly (readonly string[])[] = [
  ['users', 'add', '--org', 'acme', '--user', 'u2', '--local'],
  ['webhooks', 'config', 'update', '--enable', '--local'],
  ['local', 'snapshot', 'save', 's1'],
  ['local', 'list', 'users'],
  ['jobs', 'list'],
  ['history'],
];

/**
 * Command lines that group the modules of settings as code, which would be in many small files.
 * They load modules of every resource, too, which stay separate, because a call needs only one.
 */
const SETTINGS_COMMANDS: readonly (readonly string[])[] = [
  ['plan', '--local'],
  ['apply', '--yes', '--local'],
  ['drift', '--local'],
  ['pull', '--org', 'acme', '--local'],
  ['local', 'reset', '--yes'],
];
const SETTINGS_MODULES = /^src\/(settings|commands\/(plan|settings))\//;
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
  process.getBuiltinModule('node:module').registerHooks({
    load(url, context, next) {
      process.getBuiltinModule('node:fs').writeSync(2, url + '\\n');
      return next(url, context);
    },
  });
  import(${JSON.stringify(pathToFileURL('dist/main.js').href)}).then((svc) => svc.main(''));`;

/**
 * Measures which sources each common command line loads from a bundle without groups, and groups
 * them accordingly.
 */
export async function measureGroups({ outputs }: Metafile): Promise<readonly Group[]> {
  const home = await mkdtemp(join(tmpdir(), 'svc-build-'));
  const server = createServer((_, response) => {
    response
      .setHeader('content-type', 'application/json')
      .end('{"result":{"status":"success","data":[{"id":"d1"}]}}');
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
    const { stderr } = await promisify(execFile)(
      process.execPath,
      ['-e', TRACE_SCRIPT, 'svc', ...words],
      { env, cwd: home },
    );
    const chunks = new Set(stderr.match(/(?<=\/)dist\/\S+$/gm));
    return [...chunks].flatMap((chunk) => Object.keys(outputs[chunk]?.inputs ?? {}));
  };
  const users = new Map<string, string>();
  const addUsers = (
    commands: readonly (readonly string[])[],
    loaded: readonly (readonly string[])[],
    modules = /^src\//,
  ) => {
    const grouped = new Set(users.keys());
    for (const [at, words] of commands.entries()) {
      const remaining =
        loaded[at]?.filter((each) => modules.test(each) && !grouped.has(each)) ?? [];
      for (const source of remaining)
        users.set(source, `${users.get(source) ?? ''}${words.join(' ')}\n`);
    }
  };
  try {
    await writeFile(join(home, 'svc.yaml'), SETTINGS_FILE);
    // Create the store and its records first: other runs create no store, and print the records.
    for (const record of RECORDS) await loadedBy([...record, '--org', 'acme', '--local']);
    addUsers(COMMON_COMMANDS, await Promise.all(COMMON_COMMANDS.map(loadedBy)));
    addUsers(OTHER_COMMANDS, await Promise.all(OTHER_COMMANDS.map(loadedBy)));
    // One after the other, because each changes what the next one finds.
    const loaded = await Array.fromAsync(SETTINGS_COMMANDS, loadedBy);
    addUsers(SETTINGS_COMMANDS, loaded, SETTINGS_MODULES);
  } finally {
    server.close();
    await rm(home, { recursive: true });
  }
  const sources = [...users.keys()].filter((source) => source !== 'src/main.ts').sort();
  const exports = await listExports(sources);
  return [...Map.groupBy(sources, (source) => users.get(source)).values()].map((group) => ({
    sources: group,
    exported: withoutNamesakes(group, exports),
  }));
}

export interface Group {
  readonly sources: readonly string[];
  /** Sources that other groups import through this group. */
  readonly exported: readonly string[];
}

type Exports = ReadonlyMap<string, readonly string[]>;

/** Returns the names that each source exports. */
async function listExports(entryPoints: readonly string[]): Promise<Exports> {
  const { metafile } = await build({
    entryPoints: [...entryPoints],
    outdir: 'dist',
    format: 'esm',
    metafile: true,
    write: false,
  });
  return new Map(
    Object.values(metafile.outputs).map(({ entryPoint = '', exports }) => [entryPoint, exports]),
  );
}

/**
 * Removes modules that export the same name as another module of the group, such as `users`: the
 * group would export neither of them.
 */
function withoutNamesakes(group: readonly string[], exports: Exports): readonly string[] {
  const exporters = Map.groupBy(
    group.flatMap((source) => exports.get(source) ?? []),
    (name) => name,
  );
  return group.filter((source) =>
    exports.get(source)?.every((name) => exporters.get(name)?.length === 1),
  );
}

/** Puts the modules of each group into one chunk: importing one of them imports all of them. */
export function chunkGroups(groups: readonly Group[]): Plugin {
  const mapToGroup = (key: keyof Group) =>
    new Map(
      groups.flatMap((group, at) => group[key].map((source) => [resolvePath(source), at] as const)),
    );
  const [exporterOf, groupOf] = [mapToGroup('exported'), mapToGroup('sources')];
  return {
    name: 'chunk-groups',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path, importer, resolveDir, kind }) => {
        const group = exporterOf.get(resolvePath(resolveDir, path));
        const isOutside =
          group !== undefined && (kind === 'dynamic-import' || groupOf.get(importer) !== group);
        return isOutside ? { path: String(group), namespace: 'group' } : undefined;
      });
      onLoad({ filter: /.*/, namespace: 'group' }, ({ path }) => ({
        contents: (groups[Number(path)]?.exported ?? [])
          .map((source) => `export * from ${JSON.stringify(resolvePath(source))};`)
          .join(''),
        loader: 'js',
        resolveDir: '.',
      }));
    },
  };
}

/**
 * Returns the finished files, without empty ones, those that only re-export a group, and unused
 * imports of esbuild's own functions. Saves two to four files per start: 1.7 ms of help and of
 * completion.
 */
export function mergeFiles({ metafile, outputFiles }: GroupedBuild): Bundle {
  const codes: Bundle = new Map(outputFiles.map(({ path, text }) => [path, text]));
  const files = Object.entries(metafile.outputs);
  const stubs = files.filter(([, { entryPoint = '' }]) => entryPoint.startsWith('group:'));
  // esbuild's own functions, and groups whose names other groups export, too.
  const withoutSources = files.filter(
    ([, { inputs, imports }]) =>
      imports.length === 0 && Object.keys(inputs).every((input) => input.startsWith('group:')),
  );
  const needed = withoutSources.reduce(
    (bundle, [path]) => dropImports(bundle, basename(path)),
    codes,
  );
  const empty = withoutSources.filter(([, { exports }]) => exports.length === 0);
  const emptyFiles = new Set(empty.map(([path]) => basename(path)));
  return mergeStubs(
    new Map([...needed].filter(([path]) => !emptyFiles.has(basename(path)))),
    stubs.map(([path]) => basename(path)),
  );
}
