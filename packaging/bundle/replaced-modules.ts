import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Plugin } from 'rolldown';

/** A module of a library that the bundle replaces. */
interface ReplacedModule {
  readonly module: string;
  /** Matches the end of the module's path in `node_modules`, with slashes. */
  readonly filter: RegExp;
  readonly contents: string;
  readonly why: string;
  /** Measured saving of the replacement. */
  readonly saves: string;
}

const REPLACED_MODULES: readonly ReplacedModule[] = [
  {
    module: "zod's translations",
    filter: /\/zod\/v4\/locales\/index\.js$/,
    contents: `export { default as en } from './en.js';`,
    why: 'svc writes its own messages, and every call loads zod',
    saves: '261 kB',
  },
  {
    module: "zod's exports of its compiler",
    filter: /\/zod\/v4\/core\/compile\.js$/,
    contents: `
      export const INVALID = undefined, compile = undefined, withParser = undefined,
        ZodCompileAsyncError = undefined, ZodCompileUnsupportedError = undefined;`,
    why: 'every call loads zod; schemas that are used often load the compiler by itself',
    saves: '29 kB',
  },
  {
    module: "conf's validator (ajv)",
    filter: /\/(?:ajv|ajv-formats)\/dist\/(?:2020|index)\.js$/,
    contents: `exports.Ajv2020 = class { constructor() { throw new Error('svc passes no schema'); } };`,
    why: 'svc passes no schema, and checks the files itself',
    saves: '149 kB',
  },
  {
    module: "conf's comparison of versions (semver)",
    filter: /\/semver\/index\.js$/,
    contents: 'module.exports = {};',
    why: 'svc passes no migrations',
    saves: '29 kB',
  },
  {
    module: "conf's default folders (env-paths)",
    filter: /\/env-paths\/index\.js$/,
    contents: `export default () => { throw new Error('svc passes all folders explicitly'); }`,
    why: 'it looks up the home folder while it loads, which fails without an entry in /etc/passwd',
    saves: 'a failure in containers without an entry for the user',
  },
  {
    module: "the MCP server's validator",
    filter: /\/@modelcontextprotocol\/server\/dist\/shimsNode\.mjs$/,
    contents:
      'export const process = globalThis.process; export class DefaultJsonSchemaValidator {}',
    why: 'svc never requests input through an MCP host',
    saves: '155 kB',
  },
  {
    module: "cli-table3's string-width",
    filter: /\/cli-table3\/node_modules\/string-width\/index\.js$/,
    contents: 'module.exports = (text) => text.length;',
    why: 'svc aligns the columns itself, and removes the spaces that cli-table3 adds',
    saves: '6 kB, and a quarter of the time of a long table, or half with wide characters',
  },
  {
    module: "pg's native client",
    filter: /\/pg\/lib\/native\/index\.js$/,
    contents: `throw new Error('the native client is not part of this build');`,
    why: 'it needs an optional package, which the bundler would not find',
    saves: '8 kB, and a warning of the bundler',
  },
];

/**
 * Variables that would make pg load a module that the table replaces, and libraries print their
 * logs among svc's messages.
 */
export const REPLACED_VARIABLES = ['NODE_PG_FORCE_NATIVE', 'DEBUG'];

/** Suffix of an import that loads a module even if the table replaces it. */
const WHOLE = '?whole';
/** zod's compiler, the only part of `zod/v4/core` that the source imports. */
export const COMPILER: string = `${resolve('node_modules/zod/v4/core/compile.js')}${WHOLE}`;

/** Replaces the modules in the table. */
export const replaceModules: Plugin = {
  name: 'replace-modules',
  load: {
    filter: { id: /node_modules/ },
    async handler(id) {
      if (id.endsWith(WHOLE)) return readFile(id.slice(0, -WHOLE.length), 'utf8');
      const normalized = id.replaceAll('\\', '/');
      const replaced = REPLACED_MODULES.find(({ filter }) => filter.test(normalized));
      return replaced && { code: replaced.contents, moduleType: 'js' };
    },
  },
};
