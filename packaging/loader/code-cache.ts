import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';

/** Access for the owner only. */
const [PRIVATE_FOLDER, PRIVATE_FILE] = [0o700, 0o600];

/** Time until code is removed, in milliseconds: 30 days. Code that is still used is saved again. */
const MAX_AGE = 30 * 24 * 60 * 60 * 1_000;

/**
 * Time after the start at which a process saves code if it has not ended, in milliseconds. V8 soon
 * drops the code of functions that are not called again.
 */
const SAVE_TIME = 2_000;

/** Length of the last line of a module: a comment with a hash of its content, in hex. */
const HASH_LINE_LENGTH = '//0123456789abcdef\n'.length;

export type Compile = (source: string, filename: string) => Script;

/**
 * Compiles modules with the code that an earlier process saved in `folder`. The compile cache of
 * Node.js keeps only the code that runs when a module is loaded; this one is written at exit, or
 * after 2 seconds, and also contains the functions that the process called, which saves a fifth of
 * the time of a call.
 */
export function createCodeCache(folder: string): Compile {
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
    const hash = source.slice(2 - HASH_LINE_LENGTH, -1);
    const cachedData = readCode(`${folder}/${hash}`);
    const script = new Script(source, { filename, ...(cachedData && { cachedData }) });
    const isRejected = script.cachedDataRejected === true;
    if (scripts.size === 0)
      hasInitialFlags = watchFlags(source, isRejected ? undefined : cachedData);
    // Code is also rejected after this process changed the flags, but is up to date then.
    if (!cachedData || (isRejected && hasInitialFlags())) isComplete = false;
    scripts.set(hash, script);
    return script;
  };
}

/**
 * Returns a function that reports whether V8's flags are still the same. V8 rejects code that was
 * compiled with other flags, and accepts that of another source with the same length.
 * @param code code of a source that ends with a hash line, compiled with the current flags
 * (default: created now)
 */
function watchFlags(source: string, code: Buffer | undefined): () => boolean {
  const start = code ? source.slice(0, -HASH_LINE_LENGTH) : '';
  let probes = 0;
  // V8 keeps compiled sources, and reads the code of a new one only.
  const nextProbe = () => `${start}//${String(probes++).padStart(16, '0')}\n`;
  const cachedData = code ?? new Script(nextProbe()).createCachedData();
  return () => !new Script(nextProbe(), { cachedData }).cachedDataRejected;
}

/**
 * Reads the code of a module. Undefined for a missing or damaged file. The file contains the code
 * twice, because V8 does not check code and crashes if it is damaged.
 */
function readCode(file: string): Buffer | undefined {
  try {
    const bytes = readFileSync(file);
    const middle = bytes.length / 2;
    const code = bytes.subarray(0, middle);
    return code.equals(bytes.subarray(middle)) ? code : undefined;
  } catch {
    return undefined;
  }
}

function saveCode(folder: string, scripts: ReadonlyMap<string, Script>): void {
  let temporary: string | undefined;
  try {
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
    // Processes of several containers can share the folder and have the same process ID.
    temporary = mkdtempSync(join(folder, 'new-'));
    for (const [hash, script] of scripts) {
      const code = script.createCachedData();
      const file = join(temporary, hash);
      writeFileSync(file, Buffer.concat([code, code]), { mode: PRIVATE_FILE });
      renameSync(file, join(folder, hash));
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
