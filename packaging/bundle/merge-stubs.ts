import { basename } from 'node:path';

/** Output of the bundler: the code of each file by its path. */
export type Bundle = ReadonlyMap<string, string>;

/** A file that only re-exports a chunk: its exports by name, with their names in the chunk. */
interface Stub {
  readonly chunk: string;
  readonly exports: ReadonlyMap<string, string>;
}

const NAMES = /([\w$]+)(?: as ([\w$]+))?/g;
const LAST_EXPORT = /export\{(?<exports>[^}]*)\};\s*$/;
const STUB =
  /^(?:const require=[\w.]+;\n)?import\{(?<imports>[^}]*)\}from"\.\/(?<chunk>[\w.-]+)";(?<others>(?:import"\.\/[\w.-]+";)*)export\{(?<exports>[^}]*)\};\s*$/;
const STATIC_IMPORT = /(?:from|import)"\.\/(?:chunks\/)?([\w.-]+)"/g;
const NAMED_IMPORT = /import\{(?<imports>[^}]*)\}from"\.\/(?:chunks\/)?(?<chunk>[\w.-]+)"/g;
const DYNAMIC_IMPORT = /import\("(?<folder>\.\/(?:chunks\/)?)(?<name>[\w.-]+)"\)/g;

/**
 * Moves the exports of files that only re-export a chunk to that chunk, and makes dynamic imports
 * load the chunk directly, which saves a file per import. An importer may see more exports than
 * before, so it must select exports by name. Removes exports that only those files used.
 * @param stubs base names of the files to merge if possible
 */
export function mergeStubs(bundle: Bundle, stubs: Iterable<string>): Bundle {
  const codes = new Map([...bundle].map(([path, code]) => [basename(path), code] as const));
  const merged = new Map<string, Stub>();
  for (const name of stubs) {
    const stub = parseStub(name, codes);
    if (!stub) continue;
    addExports(codes, stub);
    merged.set(name, stub);
  }
  for (const name of merged.keys()) codes.delete(name);
  for (const [chunk, used] of findUsedExports(codes.values(), [...merged.values()]))
    codes.set(chunk, keepExports(codes.get(chunk) ?? '', used));
  const redirected = (code: string) =>
    code.replace(DYNAMIC_IMPORT, (whole, folder: string, name: string) => {
      const stub = merged.get(name);
      return stub ? `import("${folder}${stub.chunk}")` : whole;
    });
  return new Map(
    [...bundle.keys()]
      .filter((path) => codes.has(basename(path)))
      .map((path) => [path, redirected(codes.get(basename(path)) ?? '')]),
  );
}

/** Removes imports of a chunk without side effects from files that use none of its exports. */
export function dropImports(bundle: Bundle, chunk: string): Bundle {
  const drop = (code: string) =>
    code.replaceAll(`import"./${chunk}";`, '').replaceAll(`import"./chunks/${chunk}";`, '');
  return new Map([...bundle].map(([path, code]) => [path, drop(code)]));
}

/**
 * Parses a stub. Undefined for other files, and for a stub that loads files that its chunk does not
 * load.
 */
function parseStub(name: string, codes: ReadonlyMap<string, string>): Stub | undefined {
  const { imports, chunk, others = '', exports } = STUB.exec(codes.get(name) ?? '')?.groups ?? {};
  if (imports === undefined || chunk === undefined || exports === undefined) return undefined;
  const loaded = loadedBy(chunk, codes);
  if (!importsOf(others).every((other) => loaded.has(other))) return undefined;
  const locals = new Map(namesIn(imports).map(([theirs, own]) => [own, theirs]));
  return {
    chunk,
    exports: new Map(namesIn(exports).map(([own, exported]) => [exported, locals.get(own) ?? own])),
  };
}

/** A file and all files that it imports, directly or not. */
function loadedBy(
  name: string,
  codes: ReadonlyMap<string, string>,
  known = new Set<string>(),
): ReadonlySet<string> {
  if (known.has(name)) return known;
  known.add(name);
  for (const imported of importsOf(codes.get(name) ?? '')) loadedBy(imported, codes, known);
  return known;
}

function importsOf(code: string): readonly string[] {
  return Array.from(code.matchAll(STATIC_IMPORT), ([, name = '']) => name);
}

/**
 * Adds a stub's exports to its chunk. Renames the chunk's own exports of these names, which esbuild
 * chose.
 */
function addExports(codes: Map<string, string>, { chunk, exports }: Stub): void {
  const locals = exportsOf(codes.get(chunk) ?? '');
  const added = new Map([...exports].map(([name, theirs]) => [name, locals.get(theirs) ?? theirs]));
  const renamed = new Map(
    [...locals]
      .filter(([name, local]) => (added.get(name) ?? local) !== local)
      .map(([name]) => [name, `${name}$own`]),
  );
  const kept = [...locals].map(([name, local]) => [renamed.get(name) ?? name, local] as const);
  codes.set(chunk, setExports(codes.get(chunk) ?? '', new Map([...kept, ...added])));
  if (renamed.size === 0) return;
  for (const [importer, code] of codes)
    codes.set(
      importer,
      code.replace(NAMED_IMPORT, (whole, imports: string, from: string) =>
        from === chunk ? whole.replace(imports, () => renameImports(imports, renamed)) : whole,
      ),
    );
}

function renameImports(imports: string, renamed: ReadonlyMap<string, string>): string {
  return namesIn(imports)
    .map(([theirs, own]) => `${renamed.get(theirs) ?? theirs} as ${own}`)
    .join(',');
}

/**
 * Returns the exports of each chunk with merged files that are imported by name, or that dynamic
 * imports of the merged files may use.
 */
function findUsedExports(
  codes: Iterable<string>,
  merged: readonly Stub[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const used = new Map(merged.map(({ chunk }) => [chunk, new Set<string>()]));
  for (const { chunk, exports } of merged)
    for (const name of exports.keys()) used.get(chunk)?.add(name);
  for (const code of codes)
    for (const [, imports = '', chunk = ''] of code.matchAll(NAMED_IMPORT))
      for (const [name] of namesIn(imports)) used.get(chunk)?.add(name);
  return used;
}

function keepExports(code: string, names: ReadonlySet<string>): string {
  const kept = [...exportsOf(code)].filter(([exported]) => names.has(exported));
  return setExports(code, new Map(kept));
}

/** Returns the local names of a file's exports. */
function exportsOf(code: string): Map<string, string> {
  const { exports = '' } = LAST_EXPORT.exec(code)?.groups ?? {};
  return new Map(namesIn(exports).map(([local, exported]) => [exported, local]));
}

function setExports(code: string, locals: ReadonlyMap<string, string>): string {
  const list = [...locals].map(([exported, local]) => `${local} as ${exported}`);
  return code.replace(LAST_EXPORT, () => `export{${list.join(',')}};\n`);
}

function namesIn(list: string): readonly (readonly [name: string, alias: string])[] {
  return Array.from(list.matchAll(NAMES), ([, name = '', alias = name]) => [name, alias]);
}
