import { registerHooks } from 'node:module';

/**
 * Generators need the JavaScript API of TypeScript, which `typescript` 7 lacks. With this module,
 * they get the one bundled by @ts-morph/common.
 */
const API = `export { ts as default } from '${import.meta.resolve('@ts-morph/common')}';`;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'typescript'
      ? { url: `data:text/javascript,${API}`, shortCircuit: true }
      : next(specifier, context),
});
