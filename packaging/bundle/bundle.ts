import { relative } from 'node:path';
import { type ExternalOption, type OutputChunk, type Plugin, rolldown } from 'rolldown';

/** The chunk that each source is put in, by its path relative to the checkout. */
export type ChunkNames = ReadonlyMap<string, string>;

interface BundleInput {
  /** Sources by the names of their files, such as `main` or `chunks/library`. */
  readonly entries: Readonly<Record<string, string>>;
  /** Entries that get a hash of their content in the names of their files. */
  readonly hashedEntries?: readonly string[];
  readonly alias?: Readonly<Record<string, string>>;
  readonly external?: ExternalOption;
  readonly define?: Readonly<Record<string, string>>;
  readonly plugins?: readonly Plugin[];
}

/**
 * Bundles programs as CommonJS modules, which `packaging/loader/` and Node.js can both load. Modules
 * without a chunk name share a chunk if the same entries and dynamic imports need them.
 * @throws Error if chunks import each other in a cycle, which leaves exports undefined while the
 * modules are loaded
 */
export async function bundleModules(
  {
    entries,
    hashedEntries = [],
    alias = {},
    external = [],
    define = {},
    plugins = [],
  }: BundleInput,
  chunkNames: ChunkNames = new Map(),
): Promise<readonly OutputChunk[]> {
  const bundle = await rolldown({
    input: { ...entries },
    platform: 'node',
    external,
    resolve: { alias: { ...alias } },
    transform: { target: 'node22', define: { 'import.meta.url': 'module.url', ...define } },
    plugins: [...plugins],
    preserveEntrySignatures: 'allow-extension',
    logLevel: 'warn',
    // A module that some import early and others late is loaded when the first of them is.
    checks: { ineffectiveDynamicImport: false },
  });
  const { output } = await bundle.generate({
    format: 'cjs',
    exports: 'named',
    esModule: false,
    externalLiveBindings: false,
    dynamicImportInCjs: false,
    topLevelVar: true,
    minify: true,
    comments: false,
    charset: 'ascii',
    entryFileNames: ({ name }) => (hashedEntries.includes(name) ? '[name]-[hash].js' : '[name].js'),
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        {
          debugName: 'chunks by command lines',
          name: (id) => chunkNames.get(sourceOf(id)) ?? null,
        },
      ],
    },
  });
  const chunks = output.filter((file) => file.type === 'chunk');
  rejectCycles(chunks);
  return chunks;
}

/** An export of a chunk, as Rolldown writes it for other chunks. */
const GETTER =
  /Object\.defineProperty\(exports,(["`][^"`]+["`]),\{enumerable:!0,get:function\(\)\{return ([\w$]+)\}\}\)/g;

/** A dynamic import, as Rolldown writes it, of a chunk or of a module in a chunk. */
const DYNAMIC_IMPORT =
  /Promise\.resolve\(\)\.then\(\(\)=>require\((["`][^"`]+["`])\)\)(?:\.then\((\w)=>\2\.([\w$]+)\))?/g;

/** Uses the loader's functions for exports and dynamic imports, which saves 100 kB of the package. */
export function shortenImportsAndExports(code: string): string {
  return code
    .replaceAll(GETTER, 'exportAs($1,()=>$2)')
    .replaceAll(DYNAMIC_IMPORT, (_, chunk: string, __, name?: string) =>
      name === undefined ? `load(${chunk})` : `load(${chunk},"${name}")`,
    );
}

/** @throws Error if no entry has the name */
export function findEntry(chunks: readonly OutputChunk[], entry: string): OutputChunk {
  const found = chunks.find(({ name, isEntry }) => isEntry && name === entry);
  if (!found) throw new Error(`the bundle has no entry ${entry}`);
  return found;
}

/** Returns the path of a module relative to the checkout, with slashes, or the ID of Rolldown's own module. */
export function sourceOf(id: string): string {
  if (id.startsWith('\0')) return id;
  return relative('.', id.replace(/\?.*$/, '')).replaceAll('\\', '/');
}

/** Returns the sources of each file of a bundle, with their sizes in it. */
export function describeBundle(chunks: readonly OutputChunk[]) {
  return Object.fromEntries(
    chunks.map(({ fileName, modules }) => [
      `dist/${fileName}`,
      {
        inputs: Object.fromEntries(
          Object.entries(modules).map(([id, { renderedLength }]) => [
            sourceOf(id),
            { bytesInOutput: renderedLength },
          ]),
        ),
      },
    ]),
  );
}

function rejectCycles(chunks: readonly OutputChunk[]): void {
  const imports = new Map(chunks.map((chunk) => [chunk.fileName, chunk.imports]));
  const finished = new Set<string>();
  const visit = (file: string, path: readonly string[]) => {
    if (path.includes(file))
      throw new Error(`chunks import each other: ${[...path, file].join(' → ')}`);
    if (finished.has(file)) return;
    for (const imported of imports.get(file) ?? []) visit(imported, [...path, file]);
    finished.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
}
