#!/usr/bin/env node
// CommonJS and old syntax, so that an old Node.js prints a message instead of a stack trace.
var fs = require('fs');
var path = require('path');
var enableCompileCache = require('module').enableCompileCache;

/** Returns the path of a file below a folder. The first calls of path.join take 0.7 ms longer. */
function below(folder, file) {
  return folder.concat('/', file);
}

var home = path.dirname(__dirname);
// Unlike require, reading the file does not search for the package of package.json.
var pkg = JSON.parse(fs.readFileSync(below(home, 'package.json'), 'utf8'));

/** File modes: access for the owner only, the bits of all other users, and those that allow them to write. */
var OWNER_ONLY = 0o700;
var OTHERS = 0o077;
var OTHERS_WRITE = 0o022;
var STICKY = 0o1000;

/** Whether a version matches a range such as ^22.22.2 || >=26.0.0. The build copies this function into the library. */
function isSupported(range, version) {
  return range.split('||').some(function (part) {
    var match = /(\^|>=)(\d+)\.(\d+)\.(\d+)/.exec(part);
    var minimum = match.slice(2).map(Number);
    var actual = version.split('.').map(Number);
    if (match[1] === '^' && actual[0] !== minimum[0]) return false;
    for (var i = 0; i < 3; i++) {
      if (actual[i] !== minimum[i]) return actual[i] > minimum[i];
    }
    return true;
  });
}

/**
 * Returns a folder for compiled code, or undefined if it would not be private. It is in the user's
 * own cache folder, because other users can access the system's temporary folder. Deno and Bun have
 * their own caches.
 */
function cacheFolder() {
  var env = process.env;
  var folder = env.XDG_CACHE_HOME || env.LOCALAPPDATA || (env.HOME && below(env.HOME, '.cache'));
  if (!enableCompileCache || env.NODE_DISABLE_COMPILE_CACHE) return undefined;
  if (!folder || !path.isAbsolute(folder)) return undefined;
  folder = below(folder, 'svc/compiled');
  try {
    if (!createFolder(folder)) return undefined;
    // Links on the way lead elsewhere: the folders above the real one count.
    folder = fs.realpathSync.native(folder);
    return isPrivate(folder) ? folder : undefined;
  } catch (_error) {
    // The cache is optional.
    return undefined;
  }
}

/** Creates a folder for its owner only, with its parents, and returns whether it exists. The recursive option of Node.js loops forever below /proc. */
function createFolder(folder) {
  if (fs.existsSync(folder)) return true;
  // The root of a missing drive has no parent.
  if (path.dirname(folder) === folder || !createFolder(path.dirname(folder))) return false;
  try {
    fs.mkdirSync(folder, OWNER_ONLY);
  } catch (_error) {
    return fs.existsSync(folder);
  }
  return true;
}

/**
 * Whether no other user can add code to a folder: it belongs to this user, and the folders above
 * it to this user or root, and others can write to none of them. In a folder of root with the
 * sticky bit, such as /tmp, others can write, but replace nothing. Makes the folder private if
 * others can only read it.
 */
function isPrivate(folder) {
  if (process.platform === 'win32') return true;
  var stats = fs.statSync(folder);
  if (stats.uid !== process.getuid()) return false;
  for (var each = folder; ; each = path.dirname(each)) {
    var above = fs.lstatSync(each);
    var isSticky = each !== folder && above.uid === 0 && above.mode & STICKY;
    if (above.uid !== process.getuid() && above.uid !== 0) return false;
    if (above.mode & OTHERS_WRITE && !isSticky) return false;
    if (each === path.dirname(each)) break;
  }
  if (stats.mode & OTHERS) fs.chmodSync(folder, OWNER_ONLY);
  return true;
}

/** Prints an error in one line, and sets the exit code. */
function fail(message, exitCode) {
  console.error('svc:', message);
  process.exitCode = exitCode;
}

/** Whether this file is in a checkout, not in an installed package. */
function isCheckout() {
  return fs.existsSync(below(home, 'src/main.ts'));
}

function start() {
  var folder = cacheFolder();
  // In the package, the bundle is next to this folder; in a checkout, it is in dist.
  var loader = [below(home, 'loader.cjs'), below(home, 'dist/loader.cjs')].find(fs.existsSync);
  if (!loader) return startFromSource(folder);
  var bundle = require(loader);
  if (folder) bundle.enableCodeCache(folder);
  bundle.main(pkg.version);
}

/** A checkout that was installed without scripts has no bundle, so Node.js runs the source. */
function startFromSource(folder) {
  if (!isCheckout())
    return fail('the package was built without its code; pack it again after npm run build', 1);
  if (folder) {
    // Node.js creates folders below this one with the permissions that the user's mask allows.
    var mask = process.umask(OTHERS);
    enableCompileCache(folder);
    process.umask(mask);
  }
  import(require('url').pathToFileURL(below(home, 'src/main.ts')).href).then(function (svc) {
    return svc.main(pkg.version);
  });
}

if (isSupported(pkg.engines.node, process.versions.node)) start();
else {
  fail(
    'Node.js ' +
      process.versions.node +
      ' is not supported; svc needs ' +
      pkg.engines.node +
      (isCheckout()
        ? '. In this checkout, run npm ci, which installs a supported version, and use npx svc.'
        : '. Install one of these versions, or use the executable of svc, which contains Node.js.'),
    78
  );
}
