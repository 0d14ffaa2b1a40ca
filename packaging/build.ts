import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompressSync, brotliCompress as compress } from 'node:zlib';
import {
  bundleModules,
  describeBundle,
  findEntry,
  shortenImportsAndExports,
  sourceOf,
} from './bundle/bundle.ts';
import { evaluateModules } from './bundle/evaluated-modules.ts';
import { measureGroups } from './bundle/groups.ts';
import { buildInspectorPage } from './bundle/inspector-page.ts';
import { createNodeCheck } from './bundle/node-check.ts';
import { COMPILER, REPLACED_VARIABLES, replaceModules } from './bundle/replaced-modules.ts';
import { buildLoader } from './loader/build-loader.ts';
import { wrapModule } from './loader/loader.ts';

/** Entries of the bundle, as names of its files. */
const [MAIN, LIBRARY] = ['chunks/main', 'chunks/library'];

/** Builds svc in `dist`. */
const input = {
  // A program that runs as a process must be next to the chunk that starts it.
  entries: {
    [MAIN]: 'src/main.ts',
    // Loaded by dist/index.js after the check of the Node.js version.
    [LIBRARY]: 'src/index.ts',
    'chunks/keychain-process': 'src/profiles/keychain-process.ts',
  },
  // The loader keeps the compiled code of files with a hash in their names.
  hashedEntries: [MAIN],
  // The ES module reads its own file path at load time, which does not exist in the executable.
  alias: {
    'jq-wasm': resolve('node_modules/jq-wasm/dist/index.cjs'),
    // The variant for Node.js reads two environment variables for each token.
    'yaml/util': resolve('node_modules/yaml/browser/dist/util.js'),
    yaml: resolve('node_modules/yaml/browser/dist/index.js'),
    // The entry of the package is a CommonJS module, of which the bundler removes no unused code.
    numfmt: resolve('node_modules/numfmt/dist/index.mjs'),
    'zod/v4/core': COMPILER,
  },
  // An optional native module; without it, svc does not use the keychain.
  external: ['@napi-rs/keyring'],
  define: {
    ...Object.fromEntries(REPLACED_VARIABLES.map((name) => [`process.env.${name}`, 'undefined'])),
    // zod reads it to recognize a platform that svc does not support, and Node.js loads it on first
    // use.
    navigator: 'undefined',
  },
  plugins: [evaluateModules, replaceModules],
};

// The slowest step, which runs beside the others.
const compressedJq = readFile(fileURLToPath(import.meta.resolve('jq-wasm/jq.wasm'))).then(
  promisify(compress),
);
await rm('dist', { recursive: true, force: true });
const ungrouped = await bundleModules(input);
const groups = await measureGroups(
  ungrouped,
  findEntry(ungrouped, MAIN),
  findEntry(ungrouped, LIBRARY),
);
const chunks = await bundleModules(input, groups);
await mkdir('dist/chunks', { recursive: true });
for (const { fileName, code } of chunks)
  await writeFile(`dist/${fileName}`, wrapModule(shortenImportsAndExports(code)));
const main = findEntry(chunks, MAIN);
await buildLoader('packaging/loader/package.ts', 'dist/loader.cjs', {
  MAIN: JSON.stringify(main.fileName),
});
const page = await buildInspectorPage();
for (const [name, content] of page.files)
  await writeFile(`dist/chunks/${name}.br`, brotliCompressSync(content));
for (const folder of ['completions', 'examples/snippets'])
  await cp(folder, 'dist/chunks', { recursive: true });
await cp('src/commands/jobs/report/report.css', 'dist/chunks/report.css');
await writeFile('dist/check-node.js', await createNodeCheck());
// Modules are evaluated in import order, so the check runs first. A dynamic import would prevent
// CommonJS code from requiring the library.
const library = findEntry(chunks, LIBRARY);
await writeFile(
  'dist/index.js',
  `import './check-node.js';
import { load } from './loader.cjs';
export const { ${library.exports.join(', ')} } = load('${library.fileName}');
`,
);
await writeFile('dist/chunks/jq.wasm.br', await compressedJq);
const pageInputs = Object.entries(page.modules).map(
  ([id, { renderedLength }]) => [sourceOf(id), { bytesInOutput: renderedLength }] as const,
);
const outputs = {
  ...describeBundle(chunks),
  'dist/chunks/inspector-main.mjs': { inputs: Object.fromEntries(pageInputs) },
};
await writeFile('dist/metafile.json', JSON.stringify({ outputs }));
