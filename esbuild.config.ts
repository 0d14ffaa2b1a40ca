import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join, resolve as resolvePath } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompressSync, brotliCompress as compress } from 'node:zlib';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { type Bundle, dropImports, exportsOf, mergeStubs } from './packaging/merge-stubs.ts';

const EVALUATED =
  /src[/\\](catalog[/\\](serialized-operations|outline)|commands[/\\](tree[/\\]tool-outline|help[/\\]root-help)|kernel[/\\]version)\.ts$/;

/** Modules whose values are computed at build time, to make the built tool start faster. */
const evaluated: Plugin = {
  name: 'evaluated',
  setup({ onLoad }) {
    onLoad({ filter: EVALUATED }, async ({ path }) => {
      const values = Object.entries(await import(path));
      const contents = values
        .map(([name, value]) => `export const ${name} = ${asCode(value)};`)
        .join('\n');
      return { contents, loader: 'js' };
    });
  },
};

/**
 * Formats a value as code. JSON.parse is faster than a literal for nested values, but allocates
 * every string.
 */
function asCode(value: unknown): string {
  const isFlat = Object.values(value ?? {}).every((member) => typeof member === 'string');
  return isFlat ? JSON.stringify(value) : `JSON.parse(${JSON.stringify(JSON.stringify(value))})`;
}

/**
 * Replaces ESM imports of built-in modules with `process.getBuiltinModule`. An ESM import of
 * `node:http` reads all its exports, which loads Node's whole fetch implementation; the replacement
 * reads only the used exports, and for some modules only when a function is called. esbuild writes
 * each import as a separate statement.
 */
const lazyBuiltins: Plugin = {
  name: 'lazy-builtins',
  setup({ onEnd }) {
    onEnd(async ({ outputFiles = [], metafile = { inputs: {}, outputs: {} } }) => {
      const codes = new Map(
        outputFiles.map(({ path, text }) => [path, replaceBuiltinImports(text)] as const),
      );
      await mkdir('dist/chunks', { recursive: true });
      await Promise.all(
        [...mergeFiles(codes, metafile)].map(([path, code]) => writeFile(path, code)),
      );
    });
  },
};

/**
 * Merges the files that only re-export a group of modules with the chunk of the group, and removes
 * unused imports of esbuild's own functions.
 */
function mergeFiles(codes: Bundle, { outputs }: Metafile): Bundle {
  const files = Object.entries(outputs);
  const groups = files.filter(([, { entryPoint = '' }]) => entryPoint.startsWith('group:'));
  const own = files.find(([, { inputs, imports, exports }]) => {
    return Object.keys(inputs).length === 0 && imports.length === 0 && exports.length > 0;
  });
  // The list of exports in the metafile includes names that several modules export, which the file
  // does not export.
  for (const [path, { exports }] of groups) {
    const exported = exportsOf(
      [...codes].find(([file]) => basename(file) === basename(path))?.[1] ?? '',
    );
    const missing = exports.find((name) => !exported.includes(name));
    if (missing) throw new Error(`${path}: several modules of the group export ${missing}`);
  }
  return mergeStubs(
    own ? dropImports(codes, basename(own[0])) : codes,
    groups.map(([path]) => basename(path)),
  );
}

const BUILTIN_IMPORT =
  /import\s*(?:\*\s*as )?(?<whole>[\w$]+)?[\s,]*(?<named>\{[^}]*\})?\s*from"(?<module>node:[\w/]+)";/g;

/** Modules that Node.js does not load at startup, and that a short run may never call. */
const WHEN_CALLED = ['node:os', 'node:fs/promises', 'node:timers/promises', 'node:crypto'];

function replaceBuiltinImports(code: string): string {
  return code.replace(BUILTIN_IMPORT, (...match) => {
    const { whole, named = '', module = '' }: Record<string, string | undefined> = match.at(-1);
    const loaded = `process.getBuiltinModule("${module}")`;
    const functions = WHEN_CALLED.includes(module) ? functionsOf(module) : [];
    const names = Array.from(
      named.matchAll(/([\w$]+)(?: as ([\w$]+))?/g),
      ([, name = '', as = name]) => {
        return `const ${as}=${functions.includes(name) ? `(...given)=>${loaded}.${name}(...given)` : `${loaded}.${name}`};`;
      },
    );
    return `${whole ? `const ${whole}=${loaded};` : ''}${names.join('')}`;
  });
}

/** Returns the names of functions, without classes, which are capitalized. */
function functionsOf(module: string): readonly string[] {
  const members = Object.entries(process.getBuiltinModule(module) ?? {});
  return members
    .filter(([name, member]) => typeof member === 'function' && /^[a-z]/.test(name))
    .map(([name]) => name);
}

/**
 * Common command lines. Modules that are loaded by the same command lines share a chunk. Without
 * these groups, esbuild scatters small shared modules over dozens of chunks, which slows down every
 * start. No command line loads a module that it does not need. Groups never import each other in a
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
  ['local', 'list', 'users'],
  ['jobs', 'list'],
  ['history'],
];

/** Minimum number of modules in a group, except for single modules. */
const MIN_GROUP_SIZE = 5;

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
async function measureGroups({ outputs }: Metafile): Promise<readonly (readonly string[])[]> {
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
      { env },
    );
    const chunks = new Set(stderr.match(/(?<=\/)dist\/\S+$/gm));
    return [...chunks].flatMap((chunk) => Object.keys(outputs[chunk]?.inputs ?? {}));
  };
  const users = new Map<string, string>();
  try {
    // Create the store first, because only the first run creates one.
    await loadedBy(['users', 'add', '--org', 'acme', '--user', 'u1', '--local']);
    for (const commands of [COMMON_COMMANDS, OTHER_COMMANDS]) {
      const loaded = await Promise.all(commands.map(loadedBy));
      const grouped = new Set(users.keys());
      for (const [at, words] of commands.entries()) {
        const remaining = loaded[at]?.filter((source) => !grouped.has(source)) ?? [];
        for (const source of remaining)
          users.set(source, `${users.get(source) ?? ''}${words.join(' ')}\n`);
      }
    }
  } finally {
    server.close();
    await rm(home, { recursive: true });
  }
  const sources = [...users.keys()]
    .filter((source) => source.startsWith('src/') && source !== 'src/main.ts')
    .sort();
  const groups = [...Map.groupBy(sources, (source) => users.get(source)).values()].map(
    withoutNamesakes,
  );
  return groups.filter(({ length }) => length === 1 || length >= MIN_GROUP_SIZE);
}

/**
 * Removes modules of one file name from a group: those of one resource, such as `users`, export the
 * same name.
 */
function withoutNamesakes(group: readonly string[]): readonly string[] {
  const byName = Map.groupBy(group, (source) => basename(source));
  return [...byName.values()].flatMap((namesakes) => (namesakes.length === 1 ? namesakes : []));
}

/** Puts the modules of each group into one chunk: importing one of them imports all of them. */
function chunkGroups(groups: readonly (readonly string[])[]): Plugin {
  const groupOf = new Map(
    groups.flatMap((group, at) => group.map((source) => [resolvePath(source), at] as const)),
  );
  return {
    name: 'chunk-groups',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path, importer, resolveDir, kind }) => {
        const group = groupOf.get(resolvePath(resolveDir, path));
        const isOutside =
          group !== undefined && (kind === 'dynamic-import' || groupOf.get(importer) !== group);
        return isOutside ? { path: String(group), namespace: 'group' } : undefined;
      });
      onLoad({ filter: /.*/, namespace: 'group' }, ({ path }) => ({
        contents: (groups[Number(path)] ?? [])
          .map((source) => `export * from ${JSON.stringify(resolvePath(source))};`)
          .join(''),
        loader: 'js',
        resolveDir: '.',
      }));
    },
  };
}

/**
 * Fails if a dynamic import of a group would miss an export of its module: if two modules in a
 * group export the same name, the group exports neither.
 */
function assertExports(
  groups: readonly (readonly string[])[],
  ungrouped: Metafile,
  grouped: Metafile,
): void {
  const exportsOf = ({ outputs }: Metafile) =>
    new Map(Object.values(outputs).map(({ entryPoint = '', exports }) => [entryPoint, exports]));
  const [before, after] = [exportsOf(ungrouped), exportsOf(grouped)];
  for (const [at, group] of groups.entries()) {
    const kept = after.get(`group:${at}`) ?? [];
    for (const source of group) {
      const missing = before.get(source)?.find((name) => !kept.includes(name));
      if (missing)
        throw new Error(`${source} and another module of its chunk both export ${missing}`);
    }
  }
}

/**
 * Loads `node:child_process` on demand: commander uses it only for commands in separate files,
 * which svc does not have.
 */
const lazyProcesses: Plugin = {
  name: 'lazy-processes',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:child_process$/ }, ({ importer, path }) =>
      importer.includes('commander') ? { path, namespace: 'lazy' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'lazy' }, ({ path }) => ({
      contents: `export default { spawn: (...given) => process.getBuiltinModule('${path}').spawn(...given) };`,
      loader: 'js',
    }));
  },
};

/**
 * Includes only the parts of undici that svc uses. Its index imports everything (WebSockets,
 * caches, mocks), and two parsers twice, compiled to WebAssembly with and without instructions that
 * every x64 and arm64 processor supports.
 */
const partOfUndici: Plugin = {
  name: 'part-of-undici',
  setup({ onLoad }) {
    onLoad({ filter: /node_modules[/\\]undici[/\\]index\.js$/ }, () => ({
      contents: `
        Object.assign(require('./lib/dispatcher/dispatcher').prototype, require('./lib/api'));
        exports.Pool = require('./lib/dispatcher/pool');
        exports.ProxyAgent = require('./lib/dispatcher/proxy-agent');`,
      resolveDir: 'node_modules/undici',
    }));
    onLoad(
      { filter: /undici[/\\]lib[/\\](milo[/\\][^/\\]+|llhttp[/\\]llhttp-wasm)\.js$/ },
      ({ path }) => ({
        contents: `throw new Error('${basename(path)} is not part of this build');`,
      }),
    );
  },
};

/** Excludes pg's optional bindings to PostgreSQL's C library. */
const noNativePostgres: Plugin = {
  name: 'no-native-postgres',
  setup({ onLoad }) {
    onLoad({ filter: /node_modules[/\\]pg[/\\]lib[/\\]native[/\\]index\.js$/ }, () => ({
      contents: `throw new Error('the native client is not part of this build');`,
    }));
  },
};

/** Excludes zod's translations of its messages: svc writes its own, and every call loads zod. */
const noTranslations: Plugin = {
  name: 'no-translations',
  setup({ onLoad }) {
    onLoad({ filter: /node_modules[/\\]zod[/\\]v4[/\\]locales[/\\]index\.js$/ }, () => ({
      contents: `export { default as en } from './en.js';`,
      resolveDir: 'node_modules/zod/v4/locales',
    }));
  },
};

/** Excludes conf's validator: svc passes no schema, and checks the files itself. */
const noSchemas: Plugin = {
  name: 'no-schemas',
  setup({ onLoad }) {
    onLoad({ filter: /node_modules[/\\](ajv|ajv-formats)[/\\]dist[/\\](2020|index)\.js$/ }, () => ({
      contents: `exports.Ajv2020 = class { constructor() { throw new Error('svc passes no schema'); } };`,
    }));
  },
};

/**
 * Excludes conf's lookup of the home folder at load time, which fails without an entry in
 * /etc/passwd. svc passes every path.
 */
const noGuessedFolders: Plugin = {
  name: 'no-guessed-folders',
  setup({ onLoad }) {
    onLoad({ filter: /node_modules[/\\]env-paths[/\\]index\.js$/ }, () => ({
      contents: `export default () => { throw new Error('svc passes all folders explicitly'); }`,
    }));
  },
};

/**
 * Excludes the MCP library's validator for user input, because svc never requests input through an
 * MCP host.
 */
const noAnswerValidator: Plugin = {
  name: 'no-answer-validator',
  setup({ onLoad }) {
    onLoad({ filter: /@modelcontextprotocol[/\\]server[/\\]dist[/\\]shimsNode\.mjs$/ }, () => ({
      contents:
        'export const process = globalThis.process; export class DefaultJsonSchemaValidator {}',
    }));
  },
};

/**
 * Creates a module that fails on an unsupported Node.js, with the rule of bin/svc.js, in syntax
 * that old versions can parse.
 */
async function createNodeCheck(): Promise<string> {
  const [rule] =
    /^function isSupported[\s\S]*?^}$/m.exec(await readFile('bin/svc.js', 'utf8')) ?? [];
  if (rule === undefined) throw new Error('bin/svc.js has no function isSupported');
  const range: string = JSON.parse(await readFile('package.json', 'utf8')).engines.node;
  const message = `'svc: Node.js ' + process.versions.node + ' is not supported; svc needs ${range}.'`;
  return `${rule}\nif (!isSupported('${range}', process.versions.node))\n  throw new Error(${message});\n`;
}

const options = {
  // A program that runs as a process must be next to the chunk that starts it.
  entryPoints: {
    main: 'src/main.ts',
    // Imported by dist/index.js after the check of the Node.js version.
    'chunks/library': 'src/index.ts',
    'chunks/keychain-process': 'src/profiles/keychain-process.ts',
  },
  // The ES module reads its own file path at load time, which does not exist in the executable.
  alias: { 'jq-wasm': './node_modules/jq-wasm/dist/index.cjs' },
  // An optional native module; without it, svc does not use the keychain.
  external: ['@napi-rs/keyring'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  minify: true,
  define: {
    // Variables that would make undici and pg load modules that this build excludes.
    ...Object.fromEntries(
      ['UNDICI_USE_MILO', 'UNDICI_NO_WASM_SIMD', 'JEST_WORKER_ID', 'NODE_PG_FORCE_NATIVE'].map(
        (name) => [`process.env.${name}`, 'undefined'],
      ),
    ),
    // zod reads it to recognize a platform that svc does not support, and Node.js loads it on first
    // use.
    navigator: 'undefined',
  },
  metafile: true,
  write: false,
  // CommonJS packages load built-in modules with `require`, which ES modules lack.
  banner: { js: 'const require=process.getBuiltinModule;' },
  chunkNames: 'chunks/[name]-[hash]',
  logLevel: 'warning',
} as const satisfies BuildOptions;
const plugins = [
  evaluated,
  lazyBuiltins,
  lazyProcesses,
  partOfUndici,
  noNativePostgres,
  noGuessedFolders,
  noAnswerValidator,
  noTranslations,
  noSchemas,
];

/** The inspector page. Only `svc serve --ui` reads its files. */
const inspector = {
  entryPoints: Object.fromEntries(
    ['index.html', 'main.tsx', 'style.css', 'icon.svg'].map((file) => [
      `chunks/inspector-${file.split('.')[0]}`,
      `pages/inspector/${file}`,
    ]),
  ),
  outdir: 'dist',
  outExtension: { '.js': '.mjs' },
  loader: { '.html': 'copy', '.svg': 'copy' },
  bundle: true,
  format: 'esm',
  target: 'es2024',
  minify: true,
  metafile: true,
  write: false,
} as const satisfies BuildOptions;

// The slowest step, which runs beside the others.
const compressedJq = readFile(fileURLToPath(import.meta.resolve('jq-wasm/jq.wasm'))).then(
  promisify(compress),
);
await rm('dist', { recursive: true, force: true });
const { metafile: scattered } = await build({ ...options, plugins });
const groups = await measureGroups(scattered);
await rm('dist', { recursive: true });
const { metafile } = await build({ ...options, plugins: [...plugins, chunkGroups(groups)] });
assertExports(groups, scattered, metafile);
const page = await build(inspector);
Object.assign(metafile.outputs, page.metafile.outputs);
for (const { path, contents } of page.outputFiles)
  await writeFile(`${path}.br`, brotliCompressSync(contents));
for (const folder of ['completions', 'examples/snippets'])
  await cp(folder, 'dist/chunks', { recursive: true });
await cp('pages/report/report.css', 'dist/chunks/report.css');
await writeFile('dist/check-node.js', await createNodeCheck());
// Modules are evaluated in import order, so the check runs first. A dynamic import would prevent
// CommonJS code from requiring the library.
await writeFile(
  'dist/index.js',
  "import './check-node.js';\nexport * from './chunks/library.js';\n",
);
await writeFile('dist/chunks/jq.wasm.br', await compressedJq);
await writeFile('dist/metafile.json', JSON.stringify(metafile));
