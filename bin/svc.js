#!/usr/bin/env node
// CommonJS and old syntax, so that an old Node.js answers with a sentence instead of a stack trace. It also starts
// faster: an ESM import of a built-in module reads all its exports.
var fs = require('fs');
var path = require('path');

var home = path.join(__dirname, '..');
var pkg = require('../package.json');

/** Permissions of a folder, and those of them that are for others. */
var OWNER_ONLY = 0o700;
var OTHERS = 0o077;

/** Whether a version is in a range of parts like ^22.22.2 or >=26.0.0, separated by ||. The library is built with a copy of this. */
function isSupported(range, version) {
  return range.split('||').some(function (part) {
    var match = /(\^|>=)(\d+)\.(\d+)\.(\d+)/.exec(part);
    var least = match.slice(2).map(Number);
    var here = version.split('.').map(Number);
    if (match[1] === '^' && here[0] !== least[0]) return false;
    for (var i = 0; i < 3; i++) {
      if (here[i] !== least[i]) return here[i] > least[i];
    }
    return true;
  });
}

/**
 * Keeps compiled code in the user's own cache folder: the system's temporary folder is open to others. Deno and Bun keep
 * theirs themselves, and have no such function.
 */
function keepCompiledCode() {
  var enableCompileCache = require('module').enableCompileCache;
  var env = process.env;
  var folder = env.XDG_CACHE_HOME || env.LOCALAPPDATA || (env.HOME && path.join(env.HOME, '.cache'));
  if (!enableCompileCache || !folder || !path.isAbsolute(folder)) return;
  folder = path.join(folder, 'svc', 'compiled');
  if (makeFolder(folder) && isPrivate(folder)) enableCompileCache(folder);
}

/** Whether a folder is there, made for its owner only, with those above it if need be. Node.js itself never gives up below /proc. */
function makeFolder(folder) {
  if (fs.existsSync(folder)) return true;
  // The root of a drive that is not there has nothing above it.
  if (path.dirname(folder) === folder || !makeFolder(path.dirname(folder))) return false;
  try {
    fs.mkdirSync(folder, OWNER_ONLY);
  } catch (_error) {
    return fs.existsSync(folder);
  }
  return true;
}

/** Whether nobody else can put code into a folder. One that is open to others is closed to them. */
function isPrivate(folder) {
  try {
    if (process.platform !== 'win32' && fs.statSync(folder).mode & OTHERS) fs.chmodSync(folder, OWNER_ONLY);
    return true;
  } catch (_error) {
    return false;
  }
}

if (isSupported(pkg.engines.node, process.versions.node)) {
  keepCompiledCode();
  // The bundle lies beside this folder in the package, and in dist in a checkout. One that was installed without
  // scripts has none yet; Node.js runs the source as well.
  var entry = ['main.js', 'dist/main.js', 'src/main.ts']
    .map(function (file) {
      return path.join(home, file);
    })
    .find(fs.existsSync);
  import(require('url').pathToFileURL(entry).href).then(function (svc) {
    return svc.main(pkg.version);
  });
} else {
  console.error(
    'svc: Node.js ' +
      process.versions.node +
      ' is not supported; svc needs ' +
      pkg.engines.node +
      '. In a checkout, npm ci brings one along: use npx svc.'
  );
  process.exitCode = 78;
}
