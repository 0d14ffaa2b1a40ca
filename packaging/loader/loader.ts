import type { Script } from 'node:vm';

/** How a loader finds the modules of the bundle, by their names in it: `main.js`, `chunks/….js`. */
interface ModuleFiles {
  readonly compile: (name: string) => Script;
  readonly urlOf: (name: string) => string;
  /** Loads a module that is not part of the bundle: one of Node.js, or an optional package. */
  readonly loadOther: (name: string) => unknown;
}

/**
 * Returns a function that loads modules of the bundle by name. Each of them is a function, see
 * `packaging/bundle/wrapped-modules.ts`.
 */
export function createLoader({ compile, urlOf, loadOther }: ModuleFiles) {
  const modules = new Map<string, Module>();
  return load;

  function load(name: string): unknown {
    const known = modules.get(name);
    if (known) return known.exports;
    const module: Module = {
      exports: {},
      get url() {
        return urlOf(name);
      },
    };
    // A file that cannot be read is not a known module.
    const script = compile(name);
    modules.set(name, module);
    const folder = name.slice(0, name.lastIndexOf('/') + 1);
    const require = (specifier: string) =>
      specifier.startsWith('./') ? load(folder + specifier.slice(2)) : loadOther(specifier);
    script.runInThisContext()(require, module, importLater);
    return module.exports;
  }
}

async function importLater(require: (name: string) => unknown, name: string): Promise<unknown> {
  await undefined;
  return require(name);
}

interface Module {
  exports: unknown;
  /** The `import.meta.url` of the source. */
  readonly url: string;
}
