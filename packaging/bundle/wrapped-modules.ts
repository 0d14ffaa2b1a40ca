import { createHash } from 'node:crypto';
import { build, transform } from 'esbuild';

/**
 * Code of esbuild that copies all exports of a module, for modules that may be CommonJS. The
 * bundle has no such modules: without the copies, help takes 2 ms less.
 */
const EXPORTS_AS_COMMONJS = /\bmodule\.exports=[\w$]+\(([\w$]+)\);/;
const BANNER = 'const require=process.getBuiltinModule;';
/** Functions of esbuild that the loader contains once, instead of each file. */
const DEFINE_EXPORTS =
  /^var ([\w$]+)=Object\.defineProperty;var ([\w$]+)=\([^)]*\)=>\{for\(var [^{]*\{get:[^}]*\}\)\};var ([\w$]+)=\{\};\2\(\3,\{/;
const DYNAMIC_IMPORT = /Promise\.resolve\(\)\.then\(\(\)=>require\(("\.[^"]+")\)\)/g;
const EXPORT_NAMES = /0&&\(module\.exports=\{[^}]*\}\);\s*$/;
const IMPORT_AS_MODULE = /[\w$]+\(require\("(\.[^"]+)"\)\)/g;

/**
 * Wraps a module of the bundle as a function of `require`, `module`, `$define`, and `$import`, which
 * `packaging/loader/` calls. `module.url` is the module's URL. The last line is a hash of the
 * content, which names the module's code in the cache.
 */
export async function wrapModule(source: string): Promise<string> {
  const { code } = await transform(source.replace(BANNER, ''), {
    format: 'cjs',
    platform: 'node',
    target: 'node22',
    minify: true,
    // V8 reads one-byte strings twice as fast.
    charset: 'ascii',
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': 'module.url' },
  });
  const direct = code
    .replace(EXPORTS_AS_COMMONJS, 'module.exports=$1;')
    .replace(IMPORT_AS_MODULE, 'require("$1")')
    .replace(EXPORT_NAMES, '');
  // Removes esbuild's functions that are unused now.
  const used = await transform(direct, { minify: true, treeShaking: true, charset: 'ascii' });
  const short = used.code
    .trimEnd()
    .replace(DEFINE_EXPORTS, 'var $3={};$define($3,{')
    .replace(DYNAMIC_IMPORT, '$import(require,$1)');
  const named = await transform(`module=function(require,module,$define,$import){${short}\n}`, {
    minify: true,
    charset: 'ascii',
  });
  const wrapped = `(${named.code.trimEnd().replace(/^module=|;$/g, '')})\n`;
  return `${wrapped}//${createHash('sha256').update(wrapped).digest('hex').slice(0, 16)}\n`;
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
