// Runs a command line like the executable, but with files from a folder instead of assets, and saves V8's compiled code of
// each module in the folder.
const { readdirSync, readFileSync, statSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const sea = require('node:sea');
const vm = require('node:vm');

const folder = process.env.SVC_COMPILED;
const fileOf = (name) => join(folder, encodeURIComponent(name));
Object.assign(sea, {
  getAsset: (name, encoding) => readFileSync(fileOf(name), encoding),
  getRawAsset: (name) => readFileSync(fileOf(name)),
  getAssetKeys: () =>
    readdirSync(folder)
      .map(decodeURIComponent)
      .filter((name) => !name.endsWith('.code')),
});

const scripts = new Map();
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    scripts.set(options.filename.replace('svc:/', ''), this);
  }
};

process.on('exit', () => {
  for (const [name, script] of scripts) {
    const code = script.createCachedData();
    const file = fileOf(`${name}.code`);
    const kept = statSync(file, { throwIfNoEntry: false });
    if (!kept || kept.size < code.length) writeFileSync(file, code);
  }
});

require('./loader.cjs');
