// The start of the executable, and of each thread in it: loads the bundle's modules, which are assets of the executable
// under the names that they have in the package. Their compiled code lies beside them, where it could be made.
const { getAsset, getAssetKeys, getRawAsset } = require('node:sea');
const { Script } = require('node:vm');

const SCHEME = 'svc:/';
const KEYCHAIN = '@napi-rs/keyring';

const assets = new Set(getAssetKeys());
const modules = new Map();

function load(name) {
  const known = modules.get(name);
  if (known) return known.exports;
  const module = { exports: {} };
  modules.set(name, module);
  const folder = name.slice(0, name.lastIndexOf('/') + 1);
  const request = (specifier) => {
    if (specifier === KEYCHAIN) return loadKeychain();
    return specifier.startsWith('.') ? load(assetBehind(folder, specifier)) : require(specifier);
  };
  compiled(name).runInThisContext()(module.exports, request, module);
  return module.exports;
}

function assetBehind(folder, specifier) {
  return new URL(specifier, SCHEME + folder).pathname.slice(1);
}

function compiled(name) {
  const code = `${name}.code`;
  const cachedData = assets.has(code) ? Buffer.from(getRawAsset(code)) : undefined;
  return new Script(getAsset(name, 'utf8'), { filename: SCHEME + name, cachedData });
}

/** A native module is a file to the system: it lies in a folder that only this user can open while it is loaded. */
function loadKeychain() {
  const { mkdtempSync, rmSync, writeFileSync } = require('node:fs');
  const { join } = require('node:path');
  const bytes = Buffer.from(getRawAsset('keyring.node'));
  // Windows keeps a file that is loaded, and would keep one more each time.
  if (process.platform === 'win32') return loaded(keptKeychain(bytes));
  const folder = mkdtempSync(join(require('node:os').tmpdir(), 'svc-'));
  try {
    const file = join(folder, 'keyring.node');
    writeFileSync(file, bytes, { mode: 0o600 });
    return loaded(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The one file of this content, in the folder of this user where svc keeps its own. */
function keptKeychain(bytes) {
  const { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
  const { join } = require('node:path');
  const { createHash, randomUUID } = require('node:crypto');
  const home = process.env.LOCALAPPDATA || join(require('node:os').userInfo().homedir, 'AppData', 'Local');
  const folder = join(home, 'svc', 'keychain');
  const file = join(folder, `${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.node`);
  const isWhole = () => {
    try {
      return readFileSync(file).equals(bytes);
    } catch {
      return false;
    }
  };
  if (isWhole()) return file;
  mkdirSync(folder, { recursive: true });
  const made = join(folder, `${randomUUID()}.node`);
  try {
    writeFileSync(made, bytes);
    renameSync(made, file);
  } catch (error) {
    rmSync(made, { force: true });
    // Another svc may have made it meanwhile, and have it loaded.
    if (!isWhole()) throw error;
  }
  return file;
}

function loaded(file) {
  const module = { exports: {} };
  process.dlopen(module, file);
  return module.exports;
}

// svc starts itself with the name of one of its programs; a person, with a command.
const [word = ''] = process.argv.slice(2);
if (word.startsWith(SCHEME)) load(word.slice(SCHEME.length));
else load('main.js').main(getAsset('version', 'utf8'));
