import { FAILURES } from '../../kernel/errors.ts';
import { SETTING_VARIABLES, SWITCH_VARIABLES } from '../../kernel/variables.ts';
import { TIME_STYLES } from '../../output/display-options.ts';
import { FORMATS, type Format } from '../../output/format.ts';
import { GLOBAL_FLAGS, HELP_FLAG, VERSION_FLAG } from '../global-flags.ts';
import { longName } from '../options.ts';
import { agentsSkill } from './agents-skill.ts';
import {
  createCommandSection,
  createProse,
  createRowSections,
  type HelpPage,
  toRows,
} from './blocks.ts';
import { alignLongFlags, createFlagRows } from './flag-rows.ts';
import { TOPICS, type TopicName } from './topic-names.ts';

const PAGES: { readonly [Name in TopicName]: () => HelpPage } = {
  topics,
  flags,
  environment,
  'exit-codes': exitCodes,
  formatting,
  profiles,
  'read-only': readOnly,
  approvals,
  agents: () => [{ blocks: [{ kind: 'text', text: agentsSkill() }] }],
  bulk,
  webhooks,
};

export function createTopicPage(name: TopicName): HelpPage {
  return PAGES[name]();
}

function topics(): HelpPage {
  const rows = toRows(TOPICS.filter(([name]) => name !== 'topics'));
  return [
    createProse("Topics, each shown by 'svc help <topic>':"),
    ...createRowSections('topics', [[undefined, rows]]),
  ];
}

const FLAG_GROUPS: readonly (readonly [title: string, names: readonly string[]])[] = [
  [
    'Service',
    [
      'profile',
      'local',
      'store',
      'base-url',
      'ca-file',
      'client-cert',
      'client-key',
      'insecure-http',
    ],
  ],
  [
    'Output',
    [
      'output',
      'fields',
      'jq',
      'no-headers',
      'bom',
      'time',
      'envelope',
      'show-secrets',
      'color',
      'no-pager',
    ],
  ],
  ['Messages and prompts', ['quiet', 'verbose', 'debug', 'yes', 'no-input']],
  ['Requests', ['dry-run', 'timeout', 'max-wait', 'no-wait', 'retry-for']],
];

function flags(): HelpPage {
  const all = [...GLOBAL_FLAGS, VERSION_FLAG, HELP_FLAG];
  const groups = Map.groupBy(
    all,
    (flag) => FLAG_GROUPS.find(([, names]) => names.includes(longName(flag)))?.[0] ?? 'Other',
  );
  const titles = [...FLAG_GROUPS.map(([title]) => title), 'Other'];
  return [
    createProse(
      'Global flags can stand before or after the command. A command rejects those that do not apply to it.',
    ),
    ...createRowSections(
      'flags',
      titles.map((title) => [title, alignLongFlags(createFlagRows(groups.get(title) ?? []))]),
    ),
  ];
}

function environment(): HelpPage {
  return [
    createProse(
      'A profile that --profile, --env, or SVC_PROFILE names is the target, and variables must not contradict it. Otherwise, SVC_BASE_URL and SVC_API_KEY are the target. Without them, it is the profile of .svc.json, or the default one. Order of precedence of other settings: flag, environment variable, .svc.json, profile. An empty variable counts as unset.',
    ),
    ...createRowSections('variables', [[undefined, toRows(environmentVariables())]]),
  ];
}

function exitCodes(): HelpPage {
  const byCode = Map.groupBy(Object.values(FAILURES), ({ exitCode }) => exitCode);
  const codes = [...byCode].map(([code, failures]): [string, string] => {
    const note = failures.some(({ retryable }) => retryable) ? ' (retryable)' : '';
    const meanings = new Set(failures.flatMap(({ meaning }) => meaning.split('; ')));
    return [String(code), [...meanings].join('; ') + note];
  });
  return [
    ...createRowSections('codes', [[undefined, toRows([['0', 'success'], ...codes])]]),
    createProse(
      'If several codes apply, svc exits with 9 before 12, 11, 10, and the others. With -o json or -o ndjson, an error is a JSON object on stderr with the error code, the exit code, and whether the command can be retried.',
    ),
  ];
}

const FORMAT_DETAILS: Readonly<Record<Format, string>> = {
  table: 'aligned columns that fit the terminal (default)',
  json: 'a single document: an array for a list of records, otherwise the data of the response',
  yaml: 'YAML 1.2, also readable as YAML 1.1',
  csv: 'RFC 4180, with spreadsheet formulas neutralized',
  ndjson: 'one record per line, printed as pages arrive',
  markdown: 'tables for pull requests and issues, with all other markup escaped',
};

function formatting(): HelpPage {
  return [
    createProse('Output formats (-o):'),
    ...createRowSections('formats', [
      [undefined, toRows(FORMATS.map((format) => [format, FORMAT_DETAILS[format]]))],
    ]),
    ...createRowSections('flags', [
      [
        undefined,
        toRows([
          [
            '--fields a,b',
            'fields to print, in this order: JSON names or table headers; a.b selects a nested field',
          ],
          ['--jq <expression>', 'jq expression that filters the JSON result'],
          ['--envelope', 'the whole response, including cursors'],
          [
            `--time ${TIME_STYLES.join('|')}`,
            'form of times in tables: RFC 3339, relative, or as received (default: iso)',
          ],
          ['--all', 'all pages; without this flag, one page, and a message on how to get the next'],
          ['--limit <n>', 'of a list: the first n records'],
          [
            '--sort <field>',
            'of a list: sort all records by a field, and with --sort -<field> in descending order',
          ],
          [
            '-q',
            'only errors on stderr; a command with a single value prints only that value: svc auth-tokens reset … -q',
          ],
        ]),
      ],
    ]),
    createProse(
      'On a terminal, a table wraps long text, shortens times, and hides the less important columns if it does not fit; a message says how many. If the remaining columns do not fit either, records are printed as lists. True and false are shown as symbols. A table longer than the screen is shown in a pager: SVC_PAGER, otherwise PAGER, otherwise less; --no-pager prints it directly. In a pipe, nothing is hidden, wrapped, truncated, or paged. Set ACCESSIBLE=1 for plain text on a terminal, and NO_COLOR=1 to disable color.',
    ),
    createProse(
      'Results go to stdout, all messages to stderr. Secrets in results are masked unless you add --show-secrets.',
    ),
  ];
}

function profiles(): HelpPage {
  return [
    createProse(
      "A profile stores the URL of a service, an API key, a workspace, and the auth token of each. Secrets are stored in the OS keychain, or, without a keychain, in a file that only you can read. Run 'svc whoami --all' to see where each value comes from.",
    ),
    createCommandSection(undefined, [
      [
        'svc login prod --base-url https://api.example.com --api-key K',
        'Save a profile; svc prompts for the auth token',
      ],
      [
        'svc folders list --org acme --profile prod',
        'Use the profile for one command, or make it the default',
      ],
      ['svc profiles use prod'],
    ]),
    createProse(
      "A named profile is the target, and variables and flags must not contradict it. Without --profile or SVC_PROFILE, SVC_BASE_URL and SVC_API_KEY are the target, and no profile adds to them. A .svc.json file in the current folder or a parent folder of the same repository sets the profile, organization, output format, and readOnly for everyone who works there; it never contains secrets or URLs. Before a write, a protected profile asks for its name; a script must pass --yes and set SVC_ALLOW. A stored credential is only sent to the origin (scheme, host, and port) it was saved for. In CI, use environment variables instead of a profile (see 'svc help environment').",
    ),
  ];
}

function readOnly(): HelpPage {
  return [
    createProse(
      'A read-only target accepts no writes from svc, and svc hands out none of its secrets. Each of these settings makes the target of a command read-only, and none of them turns another one off:',
    ),
    ...createRowSections('settings', [
      [
        undefined,
        toRows([
          ['svc login prod --read-only', 'the profile, and others with the same URL and API key'],
          [
            `${SWITCH_VARIABLES.readOnly}=1`,
            'the environment, for every target, including --local',
          ],
          [
            '"readOnly": true in .svc.json',
            'the folder and all folders below it, for every target',
          ],
          ['"readOnly": "remote" in .svc.json', 'the same, for every target except --local'],
          ['svc serve --read-only', 'the embedded service, for every client'],
          ['createClient({ readOnly: true })', 'one client of the library'],
        ]),
      ],
    ]),
    createProse(
      `A refused command exits with 4 and the error code read_only, and sends nothing. Any other value of ${SWITCH_VARIABLES.readOnly} than 1, true, 0, and false is an error. --dry-run still works, because it sends nothing.`,
    ),
    createProse(
      'Read-only binds svc, not the token: another program can write with the same token. Only the service can issue a token that reads.',
    ),
    createProse(
      'A protected profile asks for its name on a terminal before the first write of a command. In CI, a script passes --yes and sets SVC_ALLOW to the name of the profile.',
    ),
  ];
}

function approvals(): HelpPage {
  return [
    createProse(
      'A profile can demand approvals. svc then sends no write except the changes of a saved plan that enough people signed, and hands out none of its secrets:',
    ),
    createCommandSection(undefined, [
      [
        'svc profiles update prod --approvals 1 --signers allowed_signers',
        'Demand an approval from one of the signers',
      ],
      ['svc plan --env prod --out plan.json', 'Save a plan of a settings file'],
      [
        'svc users add --org acme --file users.csv --out plan.json',
        'Save a plan of an import; --out works with every write',
      ],
      ['svc approve plan.json', 'Read and sign the plan; a signer does this on a terminal'],
      ['svc apply plan.json', 'Apply exactly this plan'],
    ]),
    createProse(
      "The file of signers has the format of 'ssh-keygen -Y verify': a name and a public key per line, such as 'ada@example.com ssh-ed25519 AAAA…'. The profile keeps its digest, so that a change of the file takes effect only if a person saves it again.",
      'An approval is a file beside the plan, such as plan.json.k3Jd92ma.approval. It is valid for 24 hours, for exactly this plan, which can be applied once. Neither a name nor a key counts twice. A key in hardware needs a touch, which a program cannot fake.',
      "No plan contains a secret. Run 'auth-tokens reset', 'access-tokens generate', 'workspace create', and 'webhooks endpoints secret' on a machine whose profile of the target demands no approvals. To change a secret in a configuration, refer to it in a settings file, and save a plan of the file. 'svc api' saves no plan: use the command of the operation.",
      'A refused command exits with 4 and the error code approval_required, and sends nothing. The hint says how to save its plan, or why no plan can be saved. Approvals bind svc, not the token: another program can write with the same token.',
    ),
  ];
}

function bulk(): HelpPage {
  return [
    createProse(
      'Bulk commands read records from --file: JSON, NDJSON, CSV, or YAML, plain or gzipped, or .xlsx; - reads stdin.',
      'To send several files in one job, repeat --file. The files are sent in the given order.',
    ),
    createCommandSection(undefined, [
      [
        'svc users add --org acme --file users.csv --dry-run',
        'Check a file without sending anything',
      ],
      [
        'svc users add --org acme --file users.csv',
        'Send it; all records are checked before the first request',
      ],
      ['svc jobs list', 'List jobs, and resume one that was interrupted'],
      ['svc jobs resume 20260131-094500-5f3a9c'],
    ]),
    ...createRowSections('files', [
      [
        undefined,
        toRows([
          [
            '--duplicates',
            'how to handle records with the same ID: fail, first, last (default: fail)',
          ],
          [
            '--if-exists',
            'how to handle existing organizations, folders, documents, and groups: fail, skip, or (folders only) update (default: fail)',
          ],
          [
            '--rejects',
            'file for failed records, in the format of the input, to fix and send again',
          ],
          ['--results', 'file for the result of each record (NDJSON)'],
        ]),
      ],
    ]),
    createProse('The defaults suit most imports. To tune a job:'),
    ...createRowSections('tuning', [
      [
        undefined,
        toRows([
          [
            '--batch-size n',
            'records per request; smaller batches lose less if a request fails (default: 100)',
          ],
          [
            '--concurrency n',
            "requests in flight; 'auto' adapts to the response times of the service (default: auto; folders: 1)",
          ],
          [
            '--rate n/s',
            'maximum records per second, to leave capacity for others (default: unlimited)',
          ],
          ['--shard i/n', 'process only shard i of n, to split the records between machines'],
          ['--on-error stop', 'stop at the first failed record instead of continuing'],
          ['--max-errors n', 'stop after n failed records'],
        ]),
      ],
    ]),
    createProse(
      'Exit codes: 10 if some records failed; 11, 129, 130, or 143 if the job was stopped (the last line names the command that resumes it); 9 if the outcome of some records is unknown. A command with a single record exits with the code of its failure.',
    ),
  ];
}

function webhooks(): HelpPage {
  return [
    createProse(
      'Basic webhooks send every event to one or two URLs. Advanced webhooks sign each delivery, filter events, and retry failed deliveries.',
    ),
    createCommandSection(undefined, [
      ['svc webhooks setup', 'Set up an endpoint interactively'],
      ['svc webhooks snippet --lang node', 'Print code that verifies deliveries in your server'],
      [
        'svc webhooks listen --local --forward-to http://127.0.0.1:3000/hook',
        'Receive deliveries on this machine, verify them, and forward them',
      ],
      [
        'svc webhooks send comment.add --url http://127.0.0.1:3000/hook --secret-file secret.txt',
        'Send a sample event to a receiver, and verify a saved delivery',
      ],
      ['svc webhooks verify --headers headers.json --body body.json --secret-file secret.txt'],
    ]),
    createProse(
      "An advanced delivery has the headers webhook-id, webhook-timestamp, and webhook-signature: an HMAC-SHA256 of id.timestamp.body (raw bytes) with the endpoint's secret. Run 'svc webhooks events' for a list of event types.",
    ),
  ];
}

const SETTING_DESCRIPTIONS: { readonly [Name in keyof typeof SETTING_VARIABLES]: string } = {
  profile: 'profile to use',
  baseUrl: 'URL of the service',
  headerPrefix: 'prefix of the credential headers (default: x-svc-)',
  apiKey: 'ID of the API key',
  authToken: 'auth token of the API key',
  workspaceId: 'workspace ID',
  workspaceAuthToken: 'auth token of the workspace',
  caFile: 'PEM file of certificate authorities to trust in addition',
  clientCert: 'PEM or PKCS#12 file of the client certificate',
  clientKey: 'PEM file of its private key',
  clientKeyPassphrase: 'passphrase of the private key or the PKCS#12 file',
  org: 'default organization',
  output: 'default output format',
};

const OTHER_VARIABLES: readonly (readonly [string, string])[] = [
  [
    SWITCH_VARIABLES.allow,
    'name of the protected profile that scripts may write to (together with --yes)',
  ],
  [
    SWITCH_VARIABLES.readOnly,
    '1 refuses all writes and all commands that hand out secrets (see svc help read-only)',
  ],
  [SWITCH_VARIABLES.history, '0 turns the history of writes off'],
  [SWITCH_VARIABLES.undo, '0 turns off saving the values that jobs replace, which svc undo needs'],
  [SWITCH_VARIABLES.completionCache, '0 turns the cache of IDs for completion off'],
  [SWITCH_VARIABLES.contract, 'file that every command adds the shapes of its exchanges to'],
  [SWITCH_VARIABLES.pager, 'pager for long tables on a terminal (default: PAGER, or less)'],
  ['TRACEPARENT', 'trace that requests and child processes continue, with TRACESTATE (W3C)'],
  [
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OpenTelemetry collector that receives the spans of a command over OTLP/HTTP; also OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS, and OTEL_SDK_DISABLED',
  ],
  ['AI_AGENT', 'name of the AI agent for the history; also AGENT'],
  ['CI', 'if set, and not to false or 0, never prompt'],
  ['ACCESSIBLE', 'if set, use plain text instead of symbols, progress bars, and menus'],
  ['NO_COLOR', 'if set, disable color'],
  ['FORCE_COLOR', 'if set, enable color even without a terminal (overrides NO_COLOR)'],
  [
    'HTTPS_PROXY',
    'proxy for https URLs; also HTTP_PROXY and ALL_PROXY. NO_PROXY lists hosts and ranges (10.0.0.0/8) to reach directly',
  ],
  [
    'SSL_CERT_FILE',
    'PEM file of certificate authorities to trust in addition, like --ca-file. NODE_USE_SYSTEM_CA=1 trusts those of the system',
  ],
  ['XDG_CONFIG_HOME', 'parent of the svc/ folder with profiles (APPDATA on Windows)'],
  [
    'XDG_STATE_HOME',
    'parent of the svc/ folder with jobs, locks, and history (LOCALAPPDATA on Windows)',
  ],
  [
    'XDG_DATA_HOME',
    'parent of the svc/ folder with the data of the embedded service (LOCALAPPDATA on Windows)',
  ],
];

export function environmentVariables(): readonly (readonly [string, string])[] {
  const settings = Object.entries(SETTING_DESCRIPTIONS).map(
    ([name, text]) => [SETTING_VARIABLES[name as keyof typeof SETTING_VARIABLES], text] as const,
  );
  return [...settings, ...OTHER_VARIABLES];
}
