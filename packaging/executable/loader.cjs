// Entry point of the executable: loads the bundle's modules, which are assets of the executable with the same names as in
// the package. An asset may be accompanied by its compiled code.
const { getAsset, getAssetKeys, getRawAsset } = require('node:sea');
const { Script } = require('node:vm');
const { createLoader } = require('../loader/loader.ts');

const SCHEME = 'svc:/';
const KEYCHAIN = '@napi-rs/keyring';

const assets = new Set(getAssetKeys());
const load = createLoader({
  compile,
  urlOf: (name) => SCHEME + name,
  loadOther: (name) => (name === KEYCHAIN ? loadKeychain() : require(name)),
});

function compile(name) {
  const code = `${name}.code`;
  const cachedData = assets.has(code) ? Buffer.from(getRawAsset(code)) : undefined;
  return new Script(getAsset(name, 'utf8'), { filename: SCHEME + name, cachedData });
}

/** Loads the native module. The system requires a file, so the module is written to a private folder while it is loaded. */
function loadKeychain() {
  const { mkdtempSync, rmSync, writeFileSync } = require('node:fs');
  const { join } = require('node:path');
  const bytes = Buffer.from(getRawAsset('keyring.node'));
  // Windows cannot delete a loaded file, so each run would leave another copy.
  if (process.platform === 'win32') return loadNative(copyKeychain(bytes));
  const folder = mkdtempSync(join(require('node:os').tmpdir(), 'svc-'));
  try {
    const file = join(folder, 'keyring.node');
    writeFileSync(file, bytes, { mode: 0o600 });
    return loadNative(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns the path of a permanent copy in the user's data folder for svc, named by its content. */
function copyKeychain(bytes) {
  const { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
  const { join } = require('node:path');
  const { createHash, randomUUID } = require('node:crypto');
  const home =
    process.env.LOCALAPPDATA || join(require('node:os').userInfo().homedir, 'AppData', 'Local');
  const folder = join(home, 'svc', 'keychain');
  const file = join(
    folder,
    `${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.node`,
  );
  const isComplete = () => {
    try {
      return readFileSync(file).equals(bytes);
    } catch {
      return false;
    }
  };
  if (isComplete()) return file;
  mkdirSync(folder, { recursive: true });
  const temporary = join(folder, `${randomUUID()}.node`);
  try {
    writeFileSync(temporary, bytes);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    // Another svc process may have created and loaded the file in the meantime.
    if (!isComplete()) throw error;
  }
  return file;
}

function loadNative(file) {
  const module = { exports: {} };
  process.dlopen(module, file);
  return module.exports;
}

// svc itself starts the executable with the URL of a bundled program; users start it with a command.
const [word = ''] = process.argv.slice(2);
if (word.startsWith(SCHEME)) load(word.slice(SCHEME.length));
else load(getAsset('main', 'utf8')).main(getAsset('version', 'utf8'));
