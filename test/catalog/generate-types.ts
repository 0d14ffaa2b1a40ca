import { readFile } from 'node:fs/promises';
import { registerHooks } from 'node:module';

/**
 * Prints the TypeScript that openapi-typescript generates from the OpenAPI document at a path. The
 * generator needs the JavaScript API of TypeScript, which `typescript` 7 lacks, so it gets the one
 * bundled by @ts-morph/common.
 */
const API = `export { ts as default } from '${import.meta.resolve('@ts-morph/common')}';`;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'typescript'
      ? { url: `data:text/javascript,${API}`, shortCircuit: true }
      : next(specifier, context),
});

const { default: generate, astToString } = await import('openapi-typescript');
const [path = ''] = process.argv.slice(2);
process.stdout.write(astToString(await generate(await readFile(path, 'utf8'))));
