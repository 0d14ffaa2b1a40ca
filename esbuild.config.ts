import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';

/** Modules whose value is computed now, so that the built tool does not pay for it at every start. */
const evaluated: Plugin = {
  name: 'evaluated',
  setup({ onLoad }) {
    onLoad({ filter: /src[/\\]catalog[/\\]manifest\.ts$/ }, async ({ path }) => {
      const { manifest } = await import(path);
      return { contents: `export const manifest = ${JSON.stringify(manifest)};`, loader: 'js' };
    });
  },
};

/**
 * Built-in modules through `process.getBuiltinModule`: an ESM import of `node:http`, say, reads all its exports, which
 * loads Node's whole fetch; this reads only what is used. esbuild writes such imports as statements of their own.
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

function withLazyBuiltins(code: string): string {
  return code.replace(BUILTIN_IMPORT, (...match) => {
    const { whole, named, module }: Record<string, string | undefined> = match.at(-1);
    const bindings = [whole, named?.replaceAll(' as ', ':')].filter((binding) => binding !== undefined);
    return bindings.map((binding) => `const ${binding}=process.getBuiltinModule("${module}");`).join('');
  });
}

/**
 * Small modules that nearly every chunk uses, kept together: left alone, each would become a file of its own to be
 * found, read and linked at every start. Every other module imports them all, which gives them one chunk.
 */
const SHELL = [
  'kernel/clock.ts',
  'kernel/duration.ts',
  'kernel/errors.ts',
  'kernel/folders.ts',
  'kernel/io.ts',
  'kernel/safe-text.ts',
  'output/format.ts',
  'catalog/manifest.ts',
  'commands/option-values.ts',
  'commands/global-flags.ts',
].map((path) => resolve('src', path));

const oneShellChunk: Plugin = {
  name: 'one-shell-chunk',
  setup({ onLoad }) {
    const imports = SHELL.map((path) => `import ${JSON.stringify(path)};`).join('');
    onLoad({ filter: /[/\\\\]src[/\\\\].*\.ts$/ }, async ({ path }) =>
      SHELL.includes(path) ? undefined : { contents: `${imports}${await readFile(path, 'utf8')}`, loader: 'ts' },
    );
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

await rm('dist', { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: ['src/main.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  minify: true,
  metafile: true,
  write: false,
  // The packages that are CommonJS ask for built-in modules by `require`, which an ES module does not have.
  banner: { js: 'const require=process.getBuiltinModule;' },
  chunkNames: 'chunks/[name]-[hash]',
  plugins: [evaluated, lazyBuiltins, lazyProcesses, oneShellChunk],
  logLevel: 'warning',
});
await mkdir('dist', { recursive: true });
await writeFile('dist/metafile.json', JSON.stringify(metafile));
