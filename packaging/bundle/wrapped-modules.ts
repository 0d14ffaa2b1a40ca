import { createHash } from 'node:crypto';
import { type ExportSpecifier, parse } from 'acorn';
import { build, transform } from 'esbuild';

/** CommonJS packages load built-in modules with `require`, which the ES modules of esbuild lack. */
export const BANNER = 'const require=process.getBuiltinModule;';
/**
 * Code of esbuild that copies all exports of a module, for modules that may be CommonJS. Without the
 * copies, help takes 2 ms less.
 */
const IMPORT_AS_MODULE = /[\w$]+\(require\("((?:\.|node:)[^"]+)"\)\)/g;
const DYNAMIC_IMPORT = /Promise\.resolve\(\)\.then\(\(\)=>require\(("(?:\.|node:)[^"]+")\)\)/g;

/**
 * Wraps a module of the bundle as a function of `require`, `module`, and `$import`, which
 * `packaging/loader/` calls. `module.url` is the module's URL. The last line is a hash of the
 * content, which names the module's code in the cache.
 */
export async function wrapModule(source: string): Promise<string> {
  const { code } = await transform(assignExports(source.replace(BANNER, '')), {
    format: 'cjs',
    platform: 'node',
    target: 'node22',
    minify: true,
    // V8 reads one-byte strings twice as fast.
    charset: 'ascii',
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': 'module.url' },
  });
  const direct = code.replace(IMPORT_AS_MODULE, 'require("$1")');
  // Removes esbuild's functions that are unused now.
  const used = await transform(direct, { minify: true, treeShaking: true, charset: 'ascii' });
  const short = used.code.trimEnd().replace(DYNAMIC_IMPORT, '$import(require,$1)');
  const named = await transform(`module=function(require,module,$import){${short}\n}`, {
    minify: true,
    charset: 'ascii',
  });
  const wrapped = `(${named.code.trimEnd().replace(/^module=|;$/g, '')})\n`;
  return `${wrapped}//${createHash('sha256').update(wrapped).digest('hex').slice(0, 16)}\n`;
}

/**
 * Replaces the exports of a bundled module by an assignment to `module.exports`. Functions exist from
 * the start; getters read the other values later. esbuild defines a getter for each export, which is
 * larger and takes longer.
 */
function assignExports(source: string): string {
  const { body } = parse(source, { ecmaVersion: 'latest', sourceType: 'module' });
  const functions = new Set(
    body.flatMap((node) => (node.type === 'FunctionDeclaration' ? [node.id.name] : [])),
  );
  const exported = body.filter((node) => node.type === 'ExportNamedDeclaration');
  const members = exported.flatMap(({ specifiers }) =>
    specifiers.map(({ local, exported }) => {
      const [value, name] = [nameOf(local), nameOf(exported)];
      const isConstant = functions.has(value) && !isAssigned(source, value);
      return isConstant ? `${name}:${value}` : `get ${name}(){return ${value}}`;
    }),
  );
  const rest = exported.reduceRight(
    (code, { start, end }) => code.slice(0, start) + code.slice(end),
    source,
  );
  return `module.exports={${members.join(',')}};${rest}`;
}

function nameOf(node: ExportSpecifier['local']): string {
  return node.type === 'Identifier' ? node.name : String(node.value);
}

/** Whether a module may assign a variable. Also true for another variable of that name. */
function isAssigned(source: string, name: string): boolean {
  return new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}=(?!=)`).test(source);
}

/** Builds a program that loads wrapped modules. */
export async function buildLoader(entryPoint: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [entryPoint],
    outfile,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node22',
    minify: true,
    logLevel: 'warning',
  });
}
