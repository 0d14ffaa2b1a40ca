import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, resolve as resolvePath } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { build, type Plugin } from 'esbuild';

const EVALUATED =
  /src[/\\](catalog[/\\](manifest-texts|outline)|commands[/\\]line[/\\]tool-outline|kernel[/\\]version)\.ts$/;

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

/** Modules by their folders. */
type Group = Readonly<Record<string, readonly string[] | { readonly allBut: readonly string[] }>>;

/**
 * Modules that travel together. esbuild gives each set of users a chunk of its own, which scatters small shared modules
 * over dozens of files to be found, read and linked at every start; whoever uses one of a group gets all of it instead.
 */
const GROUPS: readonly Group[] = [
  // What every command line needs.
  {
    catalog: ['access-roles', 'define'],
    commands: ['hinted-command', 'option-values', 'world'],
    'commands/bulk': ['column-map'],
    'commands/completion': ['shells'],
    'commands/help': ['topic-names'],
    'commands/line': ['bulk-flags', 'global-flags', 'leaf', 'operation-flags', 'short-flags'],
    'commands/local': ['delivery-words'],
    'commands/serve': ['default-address'],
    'commands/terminal': ['activity', 'shared-terminal', 'terminal'],
    kernel: [
      'clock',
      'duration',
      'errors',
      'folders',
      'hint',
      'io',
      'is-object',
      'json-value',
      'nearest',
      'once',
      'plural',
      'redact',
      'safe-text',
      'shell-word',
      'variables',
      'version',
    ],
    output: ['format', 'look', 'signs', 'width', 'wrap'],
    webhooks: ['form'],
  },
  // The tree of commands, which help and completion go through, and help, which does without the reader of command lines.
  {
    catalog: ['groups', 'outline'],
    'commands/help': ['command-help', 'help-at', 'print-help', 'reflow', 'rows'],
    'commands/line': ['tool-outline', 'tree'],
    'commands/tools': ['list-definition'],
  },
  // What completion needs beside that.
  {
    'commands/completion': ['candidate', 'complete', 'files', 'typed-line', 'values'],
  },
  // What every call needs.
  {
    catalog: ['headers', 'index'],
    client: { allBut: ['fetch-transport', 'pool-transport'] },
    commands: ['embedded'],
    'commands/call': [
      'answers',
      'awaited',
      'call-log',
      'certificate-checks',
      'connect',
      'epochs',
      'flag-values',
      'input-data',
      'key-value',
      'operation',
      'protection',
      'validation',
    ],
    'commands/completion': ['found-ids', 'remember'],
    kernel: [
      'certificate-authorities',
      'connection-fault',
      'field-path',
      'files',
      'header-value',
      'json-nesting',
      'moment',
    ],
    output: ['columns', 'json', 'mask', 'printer', 'renderer', 'select'],
    profiles: [
      'book',
      'credential-value',
      'folder-settings',
      'missing-settings',
      'profile',
      'resolve',
      'secret-file',
      'secrets',
    ],
  },
  // What every call to the embedded service needs beside that.
  {
    catalog: ['statuses'],
    kernel: ['same-secret'],
    service: [
      'app',
      'auth',
      'body',
      'bootstrap',
      'envelope',
      'features',
      'follow-ups',
      'local',
      'rate-limit',
      'refusal',
      'secrets',
      'service',
      'strict',
      'validate',
    ],
    'service/handlers': ['index'],
    'service/records': ['item-results', 'workspaces'],
    'service/store': ['batches', 'location', 'open', 'prepared', 'schema', 'sqlite', 'sqlite-store', 'turns'],
  },
];

/** The files of a group. A name that no file has would be left out without a word. */
async function modulesOf(group: Group): Promise<readonly string[]> {
  const folders = Object.entries(group).map(async ([folder, named]) => {
    const there = (await readdir(`src/${folder}`)).filter((file) => file.endsWith('.ts'));
    const wanted = 'allBut' in named ? named.allBut : named;
    const missing = wanted.find((name) => !there.includes(`${name}.ts`));
    if (missing !== undefined)
      throw new Error(`there is no src/${folder}/${missing}.ts to keep in one chunk with others`);
    const isMember = (file: string) => wanted.includes(file.replace(/\.ts$/, '')) !== 'allBut' in named;
    return there.filter(isMember).map((file) => resolvePath('src', folder, file));
  });
  return (await Promise.all(folders)).flat();
}

const chunkGroups: Plugin = {
  name: 'chunk-groups',
  async setup({ onResolve, onLoad }) {
    const members = await Promise.all(GROUPS.map(modulesOf));
    const groupOf = (path: string) => members.findIndex((group) => group.includes(path));
    onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path, importer, resolveDir }) => {
      const group = groupOf(resolvePath(resolveDir, path));
      const isOutside = group >= 0 && groupOf(importer) !== group;
      return isOutside ? { path: String(group), namespace: 'group' } : undefined;
    });
    onLoad({ filter: /.*/, namespace: 'group' }, ({ path }) => ({
      contents: (members[Number(path)] ?? []).map((member) => `export * from ${JSON.stringify(member)};`).join(''),
      loader: 'js',
      resolveDir: '.',
    }));
  },
};

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

/** The protocol's library brings a validator for the answers of people, whom svc asks nothing through a host. */
const noAnswerValidator: Plugin = {
  name: 'no-answer-validator',
  setup({ onLoad }) {
    onLoad({ filter: /@modelcontextprotocol[/\\]server[/\\]dist[/\\]shimsNode\.mjs$/ }, () => ({
      contents: 'export const process = globalThis.process; export class DefaultJsonSchemaValidator {}',
    }));
  },
};

await rm('dist', { recursive: true, force: true });
const { metafile } = await build({
  // What is started by its path, as a thread or a process, lies beside the chunk that starts it.
  entryPoints: {
    main: 'src/main.ts',
    index: 'src/index.ts',
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
  plugins: [evaluated, lazyBuiltins, lazyProcesses, chunkGroups, partOfUndici, noNativePostgres, noAnswerValidator],
  logLevel: 'warning',
});
const jq = await readFile(fileURLToPath(import.meta.resolve('jq-wasm/jq.wasm')));
await writeFile('dist/chunks/jq.wasm.br', brotliCompressSync(jq));
await writeFile('dist/metafile.json', JSON.stringify(metafile));
