import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join, resolve as resolvePath } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompressSync } from 'node:zlib';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';

const EVALUATED =
  /src[/\\](catalog[/\\](manifest-texts|outline)|commands[/\\]tree[/\\]tool-outline|kernel[/\\]version)\.ts$/;

/** Modules whose value is computed now, so that the built tool does not pay for it at every start. */
const evaluated: Plugin = {
  name: 'evaluated',
  setup({ onLoad }) {
    onLoad({ filter: EVALUATED }, async ({ path }) => {
      const values = Object.entries(await import(path));
      const contents = values.map(([name, value]) => `export const ${name} = ${asCode(value)};`).join('\n');
      return { contents, loader: 'js' };
    });
  },
};

/** JSON.parse reads what is deep faster than the engine reads code, but leaves each text in it to the collector. */
function asCode(value: unknown): string {
  const isFlat = Object.values(value ?? {}).every((member) => typeof member === 'string');
  return isFlat ? JSON.stringify(value) : `JSON.parse(${JSON.stringify(JSON.stringify(value))})`;
}

/**
 * Built-in modules through `process.getBuiltinModule`: an ESM import of `node:http`, say, reads all its exports, which
 * loads Node's whole fetch; this reads only what is used, and functions of some modules only once they are called.
 * esbuild writes such imports as statements of their own.
 */
const lazyBuiltins: Plugin = {
  name: 'lazy-builtins',
  setup({ onEnd }) {
    onEnd(async ({ outputFiles = [] }) => {
      await mkdir('dist/chunks', { recursive: true });
      await Promise.all(outputFiles.map(({ path, text }) => writeFile(path, withLazyBuiltins(text))));
    });
  },
};

const BUILTIN_IMPORT =
  /import\s*(?:\*\s*as )?(?<whole>[\w$]+)?[\s,]*(?<named>\{[^}]*\})?\s*from"(?<module>node:[\w/]+)";/g;

/** What a bare Node.js has not loaded, and a short run may never call. */
const WHEN_CALLED = ['node:os', 'node:fs/promises'];

function withLazyBuiltins(code: string): string {
  return code.replace(BUILTIN_IMPORT, (...match) => {
    const { whole, named = '', module = '' }: Record<string, string | undefined> = match.at(-1);
    const loaded = `process.getBuiltinModule("${module}")`;
    const functions = WHEN_CALLED.includes(module) ? functionsOf(module) : [];
    const names = Array.from(named.matchAll(/([\w$]+)(?: as ([\w$]+))?/g), ([, name = '', as = name]) => {
      return `const ${as}=${functions.includes(name) ? `(...given)=>${loaded}.${name}(...given)` : `${loaded}.${name}`};`;
    });
    return `${whole ? `const ${whole}=${loaded};` : ''}${names.join('')}`;
  });
}

function functionsOf(module: string): readonly string[] {
  const members = Object.entries(process.getBuiltinModule(module) ?? {});
  return members.filter(([, member]) => typeof member === 'function').map(([name]) => name);
}

/**
 * Common command lines. Modules that are loaded by the same ones of them share a chunk. Without such groups, esbuild gives
 * each set of users a chunk of its own, which scatters small shared modules over dozens of files to be found, read, and
 * linked at every start. None of these command lines loads a module that it does not need. Groups never import each
 * other in a circle, because the command lines that load a module load its imports, too.
 */
const COMMON: readonly (readonly string[])[] = [
  ['--help'],
  ['users', 'add', '--help'],
  ['__complete', 'users', 'add', '--du'],
  ['auth', 'status'],
  ['documents', 'list', '--org', 'acme'],
  ['documents', 'list', '--org', 'acme', '--local'],
  ['folders', 'list', '--org', 'acme', '--local'],
];

/** The fewest modules that make a group. A dynamic import of a group takes a file of its own, so fewer save nothing. */
const LEAST = 5;

/** Runs a command line, and prints the files that it loads on stderr. */
const START = `
  process.getBuiltinModule('node:module').registerHooks({
    load(url, context, next) {
      process.getBuiltinModule('node:fs').writeSync(2, url + '\\n');
      return next(url, context);
    },
  });
  import(${JSON.stringify(pathToFileURL('dist/main.js').href)}).then((svc) => svc.main(''));`;

/** The sources that common command lines load from a bundle without groups, grouped by the command lines that load them. */
async function measuredGroups({ outputs }: Metafile): Promise<readonly (readonly string[])[]> {
  const home = await mkdtemp(join(tmpdir(), 'svc-build-'));
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end('{"result":{"status":"success","data":[{"id":"d1"}]}}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const env = {
    ...{ HOME: home, APPDATA: home, LOCALAPPDATA: home, SYSTEMROOT: process.env['SYSTEMROOT'] },
    ...{ SVC_BASE_URL: `http://127.0.0.1:${Object(server.address()).port}`, SVC_API_KEY: 'k', SVC_AUTH_TOKEN: 't' },
  };
  const loadedBy = async (words: readonly string[]) => {
    const { stderr } = await promisify(execFile)(process.execPath, ['-e', START, 'svc', ...words], { env });
    const chunks = new Set(stderr.match(/(?<=\/)dist\/\S+$/gm));
    return [...chunks].flatMap((chunk) => Object.keys(outputs[chunk]?.inputs ?? {}));
  };
  const users = new Map<string, string>();
  try {
    // The store is made beforehand: only its first start makes one.
    await loadedBy(['users', 'add', '--org', 'acme', '--user', 'u1', '--local']);
    for (const words of COMMON) {
      for (const source of await loadedBy(words)) users.set(source, `${users.get(source) ?? ''}${words.join(' ')}\n`);
    }
  } finally {
    server.close();
    await rm(home, { recursive: true });
  }
  const sources = [...users.keys()].filter((source) => source.startsWith('src/') && source !== 'src/main.ts').sort();
  return [...Map.groupBy(sources, (source) => users.get(source)).values()].filter(({ length }) => length >= LEAST);
}

/** Keeps the modules of each group in one chunk: an import of one of them imports all of them. */
function chunkGroups(groups: readonly (readonly string[])[]): Plugin {
  const groupOf = new Map(groups.flatMap((group, at) => group.map((source) => [resolvePath(source), at] as const)));
  return {
    name: 'chunk-groups',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path, importer, resolveDir, kind }) => {
        const group = groupOf.get(resolvePath(resolveDir, path));
        const isOutside = group !== undefined && (kind === 'dynamic-import' || groupOf.get(importer) !== group);
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
 * Fails when a dynamic import of a group would miss an export of the module that it names: of two modules in a group that
 * export one name, the group exports neither.
 */
function assertExports(groups: readonly (readonly string[])[], alone: Metafile, grouped: Metafile): void {
  const exportsOf = ({ outputs }: Metafile) =>
    new Map(Object.values(outputs).map(({ entryPoint = '', exports }) => [entryPoint, exports]));
  const [before, after] = [exportsOf(alone), exportsOf(grouped)];
  for (const [at, group] of groups.entries()) {
    const kept = after.get(`group:${at}`) ?? [];
    for (const source of group) {
      const missing = before.get(source)?.find((name) => !kept.includes(name));
      if (missing) throw new Error(`${source} and another module of its chunk both export ${missing}`);
    }
  }
}

/** commander starts processes only for commands that are files of their own, which svc has none of: loaded on demand. */
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
 * Of undici what svc asks for. Its index brings in all that it has (WebSockets, caches, mocks), and two parsers twice,
 * compiled to WebAssembly with and without instructions that every x64 and arm64 processor has.
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
    onLoad({ filter: /undici[/\\]lib[/\\](milo[/\\][^/\\]+|llhttp[/\\]llhttp-wasm)\.js$/ }, ({ path }) => ({
      contents: `throw new Error('${basename(path)} is not part of this build');`,
    }));
  },
};

/** PostgreSQL's own library in C, which pg speaks through where it is installed and asked for. */
const noNativePostgres: Plugin = {
  name: 'no-native-postgres',
  setup({ onLoad }) {
    onLoad({ filter: /node_modules[/\\]pg[/\\]lib[/\\]native[/\\]index\.js$/ }, () => ({
      contents: `throw new Error('the native client is not part of this build');`,
    }));
  },
};

/** conf looks up the user's home when it is loaded, which fails for a user without an entry in /etc/passwd. svc tells it each path. */
const noGuessedFolders: Plugin = {
  name: 'no-guessed-folders',
  setup({ onLoad }) {
    onLoad({ filter: /node_modules[/\\]env-paths[/\\]index\.js$/ }, () => ({
      contents: `export default () => { throw new Error('folders are named, not guessed'); }`,
    }));
  },
};

/** The protocol's library brings a validator for the answers of people, whom svc asks nothing through a host. */
const noAnswerValidator: Plugin = {
  name: 'no-answer-validator',
  setup({ onLoad }) {
    onLoad({ filter: /@modelcontextprotocol[/\\]server[/\\]dist[/\\]shimsNode\.mjs$/ }, () => ({
      contents: 'export const process = globalThis.process; export class DefaultJsonSchemaValidator {}',
    }));
  },
};

/** A module that fails on a Node.js that is too old, by the same rule as the command and in syntax that it reads. */
async function nodeCheck(): Promise<string> {
  const [rule] = /^function isSupported[\s\S]*?^}$/m.exec(await readFile('bin/svc.js', 'utf8')) ?? [];
  if (rule === undefined) throw new Error('bin/svc.js has no function isSupported');
  const range: string = JSON.parse(await readFile('package.json', 'utf8')).engines.node;
  const message = `'svc: Node.js ' + process.versions.node + ' is not supported; svc needs ${range}.'`;
  return `${rule}\nif (!isSupported('${range}', process.versions.node))\n  throw new Error(${message});\n`;
}

const options = {
  // What is started by its path, as a thread or a process, lies beside the chunk that starts it.
  entryPoints: {
    main: 'src/main.ts',
    // Behind a check of the version of Node.js: dist/index.js.
    'chunks/library': 'src/index.ts',
    'chunks/jq-worker': 'src/output/jq-worker.ts',
    'chunks/keychain-process': 'src/profiles/keychain-process.ts',
  },
  // As an ES module it asks for its file's path when it is loaded, which there is none of in the executable.
  alias: { 'jq-wasm': './node_modules/jq-wasm/dist/index.cjs' },
  // A native module, and optional: where it is not installed there is no keychain.
  external: ['@napi-rs/keyring'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  minify: true,
  // What would make undici and pg load what this build leaves out.
  define: Object.fromEntries(
    ['UNDICI_USE_MILO', 'UNDICI_NO_WASM_SIMD', 'JEST_WORKER_ID', 'NODE_PG_FORCE_NATIVE'].map((name) => [
      `process.env.${name}`,
      'undefined',
    ]),
  ),
  metafile: true,
  write: false,
  // The packages that are CommonJS ask for built-in modules by `require`, which an ES module does not have.
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
];

await rm('dist', { recursive: true, force: true });
const { metafile: scattered } = await build({ ...options, plugins });
const groups = await measuredGroups(scattered);
await rm('dist', { recursive: true });
const { metafile } = await build({ ...options, plugins: [...plugins, chunkGroups(groups)] });
assertExports(groups, scattered, metafile);
await writeFile('dist/check-node.js', await nodeCheck());
// Modules are evaluated in the order of their imports, so that an old Node.js meets the check before anything else. A
// dynamic import would keep CommonJS from requiring the library.
await writeFile('dist/index.js', "import './check-node.js';\nexport * from './chunks/library.js';\n");
const jq = await readFile(fileURLToPath(import.meta.resolve('jq-wasm/jq.wasm')));
await writeFile('dist/chunks/jq.wasm.br', brotliCompressSync(jq));
await writeFile('dist/metafile.json', JSON.stringify(metafile));
