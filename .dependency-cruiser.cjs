/**
 * What may import what: an allow-list, so that whatever is not said here is refused. Layers see the layers below them
 * and never their siblings; the one exception is that the service signs what webhooks verifies.
 */
const LAYERS = {
  commands: [
    'contract',
    'settings',
    'bulk',
    'webhooks',
    'service',
    'output',
    'profiles',
    'client',
    'catalog',
    'kernel',
  ],
  library: ['service', 'client', 'catalog', 'kernel'],
  contract: ['settings', 'service', 'client', 'catalog', 'kernel'],
  settings: ['bulk', 'service', 'client', 'catalog', 'kernel'],
  bulk: ['client', 'catalog', 'kernel'],
  output: ['client', 'catalog', 'kernel'],
  profiles: ['client', 'catalog', 'kernel'],
  service: ['webhooks', 'catalog', 'kernel'],
  webhooks: ['catalog', 'kernel'],
  client: ['catalog', 'kernel'],
  catalog: ['kernel'],
  kernel: [],
};

/**
 * The folders inside of a layer, from top to bottom: a folder imports from the rows below its own, never from another
 * folder of its row. Files that are in no folder are the vocabulary of commands, at the bottom. In service and
 * bulk they put the folders together, at the top: they import any folder, and no folder imports them.
 */
const FOLDERS = {
  commands: [
    ['line', 'completion'],
    ['help'],
    ['tree'],
    [
      'auth-tokens',
      'contract',
      'doctor',
      'history',
      'jobs',
      'local',
      'mcp',
      'profiles',
      'serve',
      'shells',
      'tools',
      'webhooks',
      'workspace',
    ],
    ['dossier'],
    ['settings'],
    ['run'],
    ['bulk'],
    ['call'],
    ['write-plans'],
    ['connection'],
    ['outputs', 'terminal', 'ids'],
  ],
  settings: [['pull', 'undo'], ['execute'], ['plan'], ['file', 'live']],
  service: [['local'], ['handlers', 'state'], ['deliveries'], ['records'], ['calls'], ['store']],
  bulk: [['journal', 'limiter'], ['source']],
};

/** Layers whose files in no folder put the folders together. */
const JOINED_BY_FILES = ['service', 'bulk'];

/** The places that may use a library or a built-in module with weight; the other built-in modules are everyone's. */
const OWNERS = {
  commander: ['commands/'],
  '@inquirer/prompts': ['commands/'],
  chalk: ['output/', 'commands/'],
  'cli-table3': ['output/'],
  'string-width': ['output/'],
  'cli-progress': ['output/'],
  'csv-stringify': ['output/', 'bulk/'],
  'jq-wasm': ['output/'],
  yaml: ['output/', 'bulk/source/', 'settings/file/', 'settings/pull/'],
  'p-queue': ['bulk/'],
  ky: ['client/'],
  'agent-base': ['client/'],
  'https-proxy-agent': ['client/'],
  '@napi-rs/keyring': ['profiles/'],
  '@modelcontextprotocol/server': ['commands/mcp/'],
  conf: ['profiles/'],
  'fastest-levenshtein': ['kernel/nearest.ts'],
  zod: ['catalog/', 'settings/plan/saved-plan-schema.ts', 'settings/plan/saved-write-schema.ts'],
  kysely: ['service/'],
  pg: ['service/store/'],
  yjs: ['service/records/'],
  jose: ['service/handlers/'],
  'ipaddr.js': ['client/', 'service/deliveries/'],
  'cross-spawn': ['commands/local/'],
  saxes: ['bulk/source/xlsx/', 'service/records/'],
  numfmt: ['bulk/source/xlsx/'],
  yauzl: ['bulk/source/xlsx/'],
};
const OWNED_BUILT_INS = {
  sqlite: [
    'service/store/',
    'bulk/journal/',
    'bulk/grouped-records.ts',
    'settings/ledger.ts',
    'kernel/lock.ts',
  ],
  'https?|http2|net|tls|dgram': [
    'service/',
    'webhooks/',
    'client/',
    'commands/doctor/',
    'kernel/listening.ts',
    'kernel/connections.ts',
    'kernel/certificate-authorities.ts',
  ],
};

const escaped = (text) => text.replace(/[.]/g, '\\$&');
const below = (places) => `^src/(${places.map(escaped).join('|')})`;

const layers = Object.entries(LAYERS).map(([layer, lower]) => ({
  from: { path: `^src/${layer}/` },
  to: { path: `^src/(${[...(FOLDERS[layer] ? [] : [layer]), ...lower].join('|')})/` },
}));

const folders = Object.entries(FOLDERS).flatMap(([layer, rows]) => [
  ...rows.flatMap((row, at) =>
    row.map((folder) => ({
      from: { path: `^src/${layer}/${folder}/` },
      to: {
        path: `^src/${layer}/((${[folder, ...rows.slice(at + 1).flat()].join('|')})/${JOINED_BY_FILES.includes(layer) ? '' : '|[^/]+$'})`,
      },
    })),
  ),
  {
    from: { path: `^src/${layer}/[^/]+$` },
    to: { path: JOINED_BY_FILES.includes(layer) ? `^src/${layer}/` : `^src/${layer}/[^/]+$` },
  },
]);

const libraries = Object.entries(OWNERS).map(([library, owners]) => ({
  from: { path: below(owners) },
  to: { path: `^node_modules/${escaped(library)}/` },
}));

const builtIns = Object.entries(OWNED_BUILT_INS).map(([builtIn, owners]) => ({
  from: { path: below(owners) },
  to: { dependencyTypes: ['core'], path: `^(node:)?(${builtIn})$` },
}));

module.exports = {
  forbidden: [{ name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } }],
  allowedSeverity: 'error',
  allowed: [
    { from: { path: '^src/(main|index)[.]ts$' }, to: { path: '^src/' } },
    ...layers,
    ...folders,
    ...libraries,
    ...builtIns,
    {
      from: { path: '^(src|bin)/' },
      to: {
        dependencyTypes: ['core'],
        pathNot: `^(node:)?(${Object.keys(OWNED_BUILT_INS).join('|')})$`,
      },
    },
    {
      from: {
        path: below([
          'bulk/',
          'client/',
          'commands/',
          'contract/',
          'library/',
          'service/',
          'settings/',
        ]),
      },
      to: { path: '^node_modules/zod/', dependencyTypes: ['type-only'] },
    },
    { from: { path: '^bin/' }, to: { path: '^package[.]json$' } },
    // The inspector is a program for browsers, which shares formats and types of records with the service.
    {
      from: { path: '^pages/inspector/' },
      to: {
        path: '^(pages/inspector|src/(kernel|catalog)|node_modules/preact)/',
      },
    },
    { from: { path: '^pages/' }, to: { dependencyTypes: ['core'] } },
  ],
  options: {
    // TypeScript 7 has no parser to offer: without this one every .ts file would look empty, and pass.
    parser: 'swc',
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
    doNotFollow: { path: '^node_modules/' },
    preserveSymlinks: true,
  },
};
