import { parseDurationFlag, parseOptionalDuration } from '../kernel/duration.ts';
import { SvcError } from '../kernel/errors.ts';
import { checkStoreLocation } from '../kernel/store-location.ts';
import { TIME_STYLES } from '../output/display-options.ts';
import { FORMATS, type Format } from '../output/format.ts';
import type { GlobalOptions } from './context.ts';
import {
  type GlobalFlagGroup,
  type OptionDefinition,
  type OptionsOf,
  optionalProperty,
} from './options.ts';

export const GLOBAL_FLAGS = [
  { flags: '-p, --profile <name>', description: 'profile to use' },
  { flags: '--local', description: 'use the embedded service' },
  {
    flags: '--store <location>',
    description: 'data of the embedded service: a file or a postgres:// URL',
  },
  {
    flags: '-o, --output <format>',
    description: 'output format (default: table)',
    choices: FORMATS,
  },
  {
    flags: '--fields <a,b>',
    description: 'fields to print, in this order: JSON names or table headers',
  },
  { flags: '--jq <expression>', description: 'jq expression that filters the JSON result' },
  { flags: '--no-headers', description: 'omit the header line of tables and CSV' },
  {
    flags: '--bom',
    description: 'begin CSV with a byte order mark, by which spreadsheets recognize UTF-8',
  },
  { flags: '--no-pager', description: 'print long tables without a pager' },
  {
    flags: '--time <form>',
    description: 'form of times in tables (default: iso)',
    choices: TIME_STYLES,
  },
  { flags: '--envelope', description: 'print the whole response, including cursors' },
  { flags: '--show-secrets', description: 'print secrets instead of masking them' },
  {
    flags: '--color <when>',
    description: 'color (default: auto)',
    choices: ['auto', 'always', 'never'],
  },
  { flags: '-q, --quiet', description: 'suppress all messages except errors' },
  {
    flags: '-v, --verbose',
    description: 'print a line per request to stderr, except with JSON output',
  },
  {
    flags: '--debug',
    description: 'print requests and responses to stderr, with secrets redacted',
  },
  { flags: '-y, --yes', description: 'answer yes to all confirmations' },
  { flags: '--no-input', description: 'never prompt' },
  { flags: '--dry-run', description: 'print each request instead of sending it' },
  { flags: '--timeout <duration>', description: 'time limit per attempt (default: 60s)' },
  {
    flags: '--max-wait <duration>',
    description: 'total time to wait for rate limits and for Retry-After (default: 10m)',
  },
  {
    flags: '--no-wait',
    description: 'fail instead of waiting for rate limits and for Retry-After',
  },
  {
    flags: '--retry-for <duration>',
    description: 'time to retry while a proxy does not reach the service (default: 10s, jobs: 30s)',
  },
  { flags: '--base-url <url>', description: 'URL of the service' },
  {
    flags: '--ca-file <path>',
    description: 'PEM file of additional trusted certificate authorities',
  },
  {
    flags: '--client-cert <path>',
    description: 'client certificate: PEM, or PKCS#12 with its key',
  },
  { flags: '--client-key <path>', description: 'PEM file of its private key' },
  { flags: '--insecure-http', description: 'allow plain http to hosts other than this machine' },
] as const satisfies readonly OptionDefinition[];

const REQUEST_FLAGS = ['ca-file', 'timeout'] as const;
const CONNECTION_FLAGS = [
  'profile',
  'base-url',
  'client-cert',
  'client-key',
  'insecure-http',
  'max-wait',
  'no-wait',
  'retry-for',
  ...REQUEST_FLAGS,
] as const;
const LOCAL_FLAGS = ['local', 'store'] as const;

export const GLOBAL_FLAG_GROUPS: Readonly<Record<GlobalFlagGroup, readonly string[]>> = {
  service: [...CONNECTION_FLAGS, ...LOCAL_FLAGS],
  connection: CONNECTION_FLAGS,
  request: REQUEST_FLAGS,
  profile: ['profile'],
  local: LOCAL_FLAGS,
  result: ['fields', 'jq', 'no-headers', 'bom', 'no-pager', 'time', 'show-secrets'],
  envelope: ['envelope'],
  'dry-run': ['dry-run'],
};

export const VERSION_FLAG: OptionDefinition = {
  flags: '-V, --version',
  description: 'print the version',
};
export const HELP_FLAG: OptionDefinition = { flags: '-h, --help', description: 'show this help' };

export function parseGlobalOptions(values: OptionsOf<typeof GLOBAL_FLAGS>): GlobalOptions {
  return {
    ...optionalProperty('profile', values.profile),
    ...optionalProperty('baseUrl', values.baseUrl),
    ...optionalProperty('caFile', values.caFile),
    ...optionalProperty('clientCert', values.clientCert),
    ...optionalProperty('clientKey', values.clientKey),
    ...optionalProperty('store', normalizeStore(values.store)),
    ...optionalProperty('output', values.output),
    ...optionalProperty('fields', parseFields(values.fields)),
    ...optionalProperty('jq', checkJq(values.jq, values.output)),
    local: values.local === true,
    insecureHttp: values.insecureHttp === true,
    time: values.time ?? 'iso',
    headers: values.headers !== false,
    bom: values.bom === true,
    pager: values.pager !== false,
    envelope: values.envelope === true,
    quiet: values.quiet === true,
    verbose: values.verbose === true,
    debug: values.debug === true,
    color: values.color ?? 'auto',
    input: values.input !== false,
    yes: values.yes === true,
    dryRun: values.dryRun === true,
    timeout: parseDurationFlag('--timeout', values.timeout ?? '60s'),
    maxWait: values.wait === false ? 0 : parseDurationFlag('--max-wait', values.maxWait ?? '10m'),
    ...optionalProperty('retryFor', parseOptionalDuration('--retry-for', values.retryFor)),
    showSecrets: values.showSecrets === true,
    plainMessages: false,
  };
}

/**
 * Checks the store's location even if no store is opened, because messages and the history contain
 * the flags.
 */
function normalizeStore(location: string | undefined): string | undefined {
  return location === undefined ? undefined : checkStoreLocation(location);
}

export function parseFormat(name: string | undefined, source: string): Format | undefined {
  if (name === undefined) return undefined;
  const format = FORMATS.find((known) => known === name);
  if (!format) {
    throw new SvcError('usage', `${source} must be an output format, got '${name}'`, {
      hint: `known formats: ${FORMATS.join(', ')}`,
    });
  }
  return format;
}

function checkJq(expression: string | undefined, format: string | undefined): string | undefined {
  if (expression !== undefined && format !== undefined && format !== 'json') {
    throw new SvcError(
      'usage',
      `--jq filters JSON and cannot be combined with --output ${format}`,
      {
        hint: 'omit --output, or use --output json',
      },
    );
  }
  return expression;
}

function parseFields(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const fields = text.split(',').map((field) => field.trim());
  if (fields.includes(''))
    throw new SvcError('usage', `--fields contains an empty name: '${text}'`);
  return fields;
}
