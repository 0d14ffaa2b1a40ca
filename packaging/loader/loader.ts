/**
 * The loader of the bundle's CommonJS modules. It does two things that `require` does not:
 *
 * - It keeps compiled code. The compile cache of Node.js (`module.enableCompileCache`) keeps only
 *   the code that runs while a module is loaded. This one also keeps the functions that the command
 *   called. In processor time, relative to a bare `node -e 0`: a call takes 2.6 instead of 3.3, and a
 *   call with `--local` 2.9 instead of 3.7.
 * - It loads some built-in modules only when they are used.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';

/** How a loader finds the modules of the bundle, by their names in it, such as `chunks/….js`. */
interface ModuleFiles {
  /** Reads and compiles a module that `wrapModule` has wrapped. */
  readonly compile: (name: string) => Script;
  readonly urlOf: (name: string) => string;
  /** Loads a module that is not part of the bundle: one of Node.js, or an optional package. */
  readonly loadOther: (name: string) => unknown;
}

interface Module {
  exports: unknown;
  /** The `import.meta.url` of the source. */
  readonly url: string;
}

/**
 * Built-in modules that Node.js does not load at startup, and that a short run may never use. The
 * bundle gets objects that load them on first use, which saves 7 ms of help.
 */
const WHEN_USED: ReadonlySet<string> = new Set([
  'node:child_process',
  'node:crypto',
  'node:fs/promises',
  'node:os',
  'node:stream',
  'node:timers/promises',
  'node:tls',
  'node:v8',
  'node:zlib',
]);

/** End of each wrapped module; `watchFlags` varies the number. */
const END = '\n})//0000000000000000';

/**
 * Makes an expression of a CommonJS module: a function of its exports, `require`, `module`,
 * `exportAs`, which defines an export by a function that returns it, and `load`, which imports a
 * chunk, or a module that is an export of it. The build does this, because copies of all modules at
 * run time take 2 to 4 ms of a call.
 */
export function wrapModule(code: string): string {
  return `(function(exports,require,module,exportAs,load){${code}${END}`;
}

/** Returns a function that loads modules of the bundle by name. */
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
    // The first calls of node:path take 0.3 ms. Chunks import no file in a folder above theirs.
    const folder = name.slice(0, name.lastIndexOf('/') + 1);
    const require = (specifier: string) => {
      if (specifier.startsWith('./')) return load(folder + specifier.slice(2));
      return WHEN_USED.has(specifier) ? loadWhenUsed(specifier) : loadOther(specifier);
    };
    const exportAs = (property: string, get: () => unknown) =>
      Object.defineProperty(module.exports, property, { enumerable: true, get });
    const loadLater = async (specifier: string, property?: string) => {
      await undefined;
      const loaded = require(specifier);
      return property === undefined ? loaded : Reflect.get(Object(loaded), property);
    };
    script.runInThisContext()(module.exports, require, module, exportAs, loadLater);
    return module.exports;
  }

  /**
   * Returns an object that has the members of a built-in module. It lists none of them: a bundler
   * copies the listed members of a module with a default import, and finds the others in the
   * prototype.
   */
  function loadWhenUsed(name: string): unknown {
    let loaded: object | undefined;
    const target = () => {
      loaded ??= Object(loadOther(name)) as object;
      return loaded;
    };
    const members: object = new Proxy(Object.create(null), {
      get: (_, key) => Reflect.get(target(), key),
      has: (_, key) => Reflect.has(target(), key),
    });
    return new Proxy(members, { getPrototypeOf: () => members });
  }
}

/** Access for the owner only. */
const [PRIVATE_FOLDER, PRIVATE_FILE] = [0o700, 0o600];
/** File modes that allow other users to write. */
const OTHERS_WRITE = 0o022;

/** Time until code is removed, in milliseconds: 30 days. Code that is still used is saved again. */
const MAX_AGE = 30 * 24 * 60 * 60 * 1_000;

/**
 * Time after the start at which a process saves code if it has not ended, in milliseconds. V8 soon
 * drops the code of functions that are not called again.
 */
const SAVE_TIME = 2_000;

/** A file with a hash of its content in its name, whose code can be kept. */
const HASHED = /-[\w-]{8}\.js$/;

export type Compile = (source: string, filename: string) => Script;

/**
 * Compiles wrapped modules with the code that an earlier process saved in `folder`, at exit or after
 * 2 seconds. The caller checks that no other user can replace the folder.
 */
export function createCodeCache(folder: string): Compile {
  const cache = openFolder(folder);
  const scripts = new Map<string, Script>();
  let isComplete = true;
  let hasInitialFlags = () => true;
  const save = () => {
    process.off('exit', save);
    // A command that needs new modules also calls new functions of known ones.
    if (!isComplete && hasInitialFlags()) saveCode(folder, scripts);
  };
  process.once('exit', save);
  setTimeout(save, SAVE_TIME).unref();
  return (source, filename) => {
    // V8 compares only the lengths of sources, so the name identifies the content.
    const name = filename.slice(filename.lastIndexOf('/') + 1);
    if (!HASHED.test(name)) return new Script(source, { filename });
    const cachedData = cache?.read(name);
    const script = new Script(source, { filename, ...(cachedData && { cachedData }) });
    const isRejected = script.cachedDataRejected === true;
    if (scripts.size === 0)
      hasInitialFlags = watchFlags(source, isRejected ? undefined : cachedData);
    // Code is also rejected after this process changed the flags, but is up to date then.
    if (!cachedData || (isRejected && hasInitialFlags())) isComplete = false;
    scripts.set(name, script);
    return script;
  };
}

/**
 * Returns a function that reports whether V8's flags are still the same. V8 rejects code that was
 * compiled with other flags, and accepts that of another source with the same length.
 * @param code code of a wrapped module, compiled with the current flags (default: created now)
 */
function watchFlags(source: string, code: Buffer | undefined): () => boolean {
  const start = code ? source.slice(0, -END.length) : '(function(){';
  let probes = 0;
  // V8 keeps compiled sources, and reads the code of a new one only.
  const nextProbe = () => `${start}\n})//${String(++probes).padStart(16, '0')}`;
  const cachedData = code ?? new Script(nextProbe()).createCachedData();
  return () => !new Script(nextProbe(), { cachedData }).cachedDataRejected;
}

/** Returns a folder of compiled code, or undefined if it is missing or other users can write to it. */
function openFolder(folder: string) {
  const opened = lstatSync(folder, { throwIfNoEntry: false });
  if (!opened?.isDirectory() || !isPrivate(opened)) return undefined;
  return {
    read(name: string): Buffer | undefined {
      const { dev, ino } = lstatSync(folder, { throwIfNoEntry: false }) ?? {};
      return dev === opened.dev && ino === opened.ino ? readCode(`${folder}/${name}`) : undefined;
    },
  };
}

/** Whether a file belongs to this user, and no other user can write to it. */
function isPrivate({ uid, mode }: Stats): boolean {
  return process.platform === 'win32' || (uid === process.getuid?.() && !(mode & OTHERS_WRITE));
}

/**
 * Reads the code of a module. Undefined for a missing, foreign, or damaged file. The file contains
 * the code twice, because V8 does not check code and crashes if it is damaged.
 */
function readCode(file: string): Buffer | undefined {
  let opened: number | undefined;
  try {
    opened = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    const stats = fstatSync(opened);
    // A file with a second name may be in a folder of another user.
    if (!stats.isFile() || stats.nlink > 1 || !isPrivate(stats)) return undefined;
    const bytes = readFileSync(opened);
    const middle = bytes.length / 2;
    const code = bytes.subarray(0, middle);
    return code.equals(bytes.subarray(middle)) ? code : undefined;
  } catch {
    return undefined;
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}

function saveCode(folder: string, scripts: ReadonlyMap<string, Script>): void {
  let temporary: string | undefined;
  try {
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
    if (!openFolder(folder)) return;
    // Processes of several containers can share the folder and have the same process ID.
    temporary = mkdtempSync(join(folder, 'new-'));
    for (const [name, script] of scripts) {
      const code = script.createCachedData();
      const file = join(temporary, name);
      writeFileSync(file, Buffer.concat([code, code]), { mode: PRIVATE_FILE });
      renameSync(file, join(folder, name));
    }
    removeOldFiles(folder);
  } catch {
    // The cache is optional.
  } finally {
    if (temporary) rmSync(temporary, { recursive: true, force: true });
  }
}

/** Removes the code of earlier versions of svc, and what a killed process left. */
function removeOldFiles(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (Date.now() - statSync(file).mtimeMs > MAX_AGE) rmSync(file, { recursive: true });
  }
}
