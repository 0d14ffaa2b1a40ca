import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompressSync, brotliCompress as compress } from 'node:zlib';
import { type BuildOptions, build } from 'esbuild';
import { evaluateModules } from './packaging/bundle/evaluated-modules.ts';
import { chunkGroups, measureGroups, mergeFiles } from './packaging/bundle/groups.ts';
import { inspectorPage } from './packaging/bundle/inspector-page.ts';
import { lazyBuiltins } from './packaging/bundle/lazy-builtins.ts';
import { createNodeCheck } from './packaging/bundle/node-check.ts';
import {
  COMPILER,
  REPLACED_VARIABLES,
  replaceModules,
} from './packaging/bundle/replaced-modules.ts';
import { BANNER, buildLoader, wrapModule } from './packaging/bundle/wrapped-modules.ts';

const options = {
  // A program that runs as a process must be next to the chunk that starts it.
  entryPoints: {
    main: 'src/main.ts',
    // Imported by dist/index.js after the check of the Node.js version.
    'chunks/library': 'src/index.ts',
    'chunks/keychain-process': 'src/profiles/keychain-process.ts',
  },
  // The ES module reads its own file path at load time, which does not exist in the executable.
  alias: {
    'jq-wasm': './node_modules/jq-wasm/dist/index.cjs',
    // The variant for Node.js reads two environment variables for each token.
    'yaml/util': './node_modules/yaml/browser/dist/util.js',
    yaml: './node_modules/yaml/browser/dist/index.js',
    // The entry of the package is a CommonJS module, of which esbuild removes no unused code.
    numfmt: './node_modules/numfmt/dist/index.mjs',
    'zod/v4/core': COMPILER,
  },
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
    ...Object.fromEntries(REPLACED_VARIABLES.map((name) => [`process.env.${name}`, 'undefined'])),
    // zod reads it to recognize a platform that svc does not support, and Node.js loads it on first
    // use.
    navigator: 'undefined',
  },
  metafile: true,
  write: false,
  banner: { js: BANNER },
  chunkNames: 'chunks/[name]-[hash]',
  logLevel: 'warning',
} as const satisfies BuildOptions;
const plugins = [evaluateModules, lazyBuiltins, replaceModules];

// The slowest step, which runs beside the others.
const compressedJq = readFile(fileURLToPath(import.meta.resolve('jq-wasm/jq.wasm'))).then(
  promisify(compress),
);
await rm('dist', { recursive: true, force: true });
const ungrouped = await build({ ...options, plugins });
await writeFiles(ungrouped.outputFiles.map(({ path, text }) => [path, text]));
const groups = await measureGroups(ungrouped.metafile);
await rm('dist', { recursive: true });
const bundle = await build({ ...options, plugins: [...plugins, chunkGroups(groups)] });
await writeFiles(
  await Promise.all(
    Array.from(mergeFiles(bundle), async ([path, code]) => [path, await wrapModule(code)] as const),
  ),
);
await buildLoader('packaging/loader/package.ts', 'dist/loader.cjs');
const page = await build(inspectorPage);
for (const { path, contents } of page.outputFiles)
  await writeFile(`${path}.br`, brotliCompressSync(contents));
for (const folder of ['completions', 'examples/snippets'])
  await cp(folder, 'dist/chunks', { recursive: true });
await cp('src/commands/jobs/report/report.css', 'dist/chunks/report.css');
await writeFile('dist/check-node.js', await createNodeCheck());
// Modules are evaluated in import order, so the check runs first. A dynamic import would prevent
// CommonJS code from requiring the library.
const { exports } = bundle.metafile.outputs['dist/chunks/library.js'] ?? { exports: [] };
await writeFile(
  'dist/index.js',
  `import './check-node.js';
import { load } from './loader.cjs';
export const { ${exports.join(', ')} } = load('chunks/library.js');
`,
);
await writeFile('dist/chunks/jq.wasm.br', await compressedJq);
const outputs = { ...bundle.metafile.outputs, ...page.metafile.outputs };
await writeFile('dist/metafile.json', JSON.stringify({ ...bundle.metafile, outputs }));

async function writeFiles(files: Iterable<readonly [path: string, code: string]>) {
  await mkdir('dist/chunks', { recursive: true });
  await Promise.all([...files].map(([path, code]) => writeFile(path, code)));
}
