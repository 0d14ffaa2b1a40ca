import { durationFlag } from '../kernel/duration.ts';
import { SvcError } from '../kernel/errors.ts';
import { storeAddress } from '../kernel/store-address.ts';
import { FORMATS, type Format } from '../output/format.ts';
import { TIME_STYLES, type TimeStyle } from '../output/look.ts';
import type { GlobalOptions } from './context.ts';
import type { Invocation, OptionDefinition } from './definition.ts';
import { given, textValue } from './option-values.ts';

/** Flags that every command takes, before or after its name. */
export const GLOBAL_FLAGS: readonly OptionDefinition[] = [
  { flags: '-p, --profile <name>', describes: 'use this profile' },
  { flags: '--local', describes: 'use the embedded service, in this process' },
  { flags: '--store <location>', describes: "the embedded service's data: a path, or postgres://…" },
  { flags: '-o, --output <format>', describes: 'how results look', choices: FORMATS },
  { flags: '--fields <a,b>', describes: 'only these fields, in this order' },
  { flags: '--jq <expression>', describes: 'filter the JSON of the result with jq' },
  { flags: '--no-headers', describes: 'no header line in tables and CSV' },
  { flags: '--time <form>', describes: 'times in tables', choices: TIME_STYLES },
  { flags: '--envelope', describes: 'print the whole result, cursors included' },
  { flags: '--show-secrets', describes: 'print secrets instead of masking them' },
  { flags: '--color <when>', describes: 'colours', choices: ['auto', 'always', 'never'] },
  { flags: '-q, --quiet', describes: 'no talk on stderr but errors' },
  { flags: '-v, --verbose', describes: 'one line a request on stderr' },
  { flags: '--debug', describes: 'requests and replies on stderr, secrets redacted' },
  { flags: '-y, --yes', describes: 'answer yes to questions' },
  { flags: '--no-input', describes: 'never ask' },
  { flags: '--dry-run', describes: 'print each request instead of sending it' },
  { flags: '--timeout <duration>', describes: 'limit of one attempt (60s)' },
  { flags: '--max-wait <duration>', describes: 'limit of all waiting for rate limits (10m)' },
  { flags: '--no-wait', describes: 'do not wait for rate limits' },
  { flags: '--base-url <url>', describes: 'address of the service' },
  { flags: '--ca-file <path>', describes: 'trust the authorities in this file (PEM) too' },
  { flags: '--insecure-http', describes: 'allow plain http to another host' },
];

/** Stands where global flags stand, and prints the version instead of running anything. */
export const VERSION_FLAG: OptionDefinition = { flags: '-V, --version', describes: 'print the version' };

/** Stands at every command and group, and shows what it does instead of running it. */
export const HELP_FLAG: OptionDefinition = { flags: '-h, --help', describes: 'show this help' };

/** The global flags from their parsed values, which come under camel-cased names. */
export function globalOptions(values: Invocation['options']): GlobalOptions {
  const text = (name: string) => textValue(values, name);
  const on = (name: string) => values[name] === true;
  return {
    ...given('profile', text('profile')),
    ...given('baseUrl', text('baseUrl')),
    ...given('caFile', text('caFile')),
    ...given('store', storeOf(text('store'))),
    ...given('output', formatOf(text('output'), '--output')),
    ...given('fields', fieldsOf(text('fields'))),
    ...given('jq', jqOf(text('jq'), text('output'))),
    local: on('local'),
    insecureHttp: on('insecureHttp'),
    time: (text('time') ?? 'iso') as TimeStyle,
    headers: values['headers'] !== false,
    envelope: on('envelope'),
    quiet: on('quiet'),
    verbose: on('verbose'),
    debug: on('debug'),
    color: (text('color') ?? 'auto') as GlobalOptions['color'],
    input: values['input'] !== false,
    yes: on('yes'),
    dryRun: on('dryRun'),
    timeout: durationFlag('--timeout', text('timeout') ?? '60s'),
    maxWait: values['wait'] === false ? 0 : durationFlag('--max-wait', text('maxWait') ?? '10m'),
    showSecrets: on('showSecrets'),
  };
}

/** Checked even where no store is opened: a run's flags are repeated in messages, and its history. */
function storeOf(location: string | undefined): string | undefined {
  return location === undefined ? undefined : storeAddress(location);
}

/** A format by its name; `source` says in the error where the name was read. */
export function formatOf(name: string | undefined, source: string): Format | undefined {
  if (name === undefined) return undefined;
  const format = FORMATS.find((known) => known === name);
  if (!format) {
    throw new SvcError('usage', `${source}: '${name}' is no output format`, { hint: `known: ${FORMATS.join(', ')}` });
  }
  return format;
}

/** An expression filters JSON, so no other format goes with it. */
function jqOf(expression: string | undefined, format: string | undefined): string | undefined {
  if (expression !== undefined && format !== undefined && format !== 'json') {
    throw new SvcError('usage', `--jq filters JSON: it does not go with --output ${format}`, {
      hint: 'leave --output out, or say json',
    });
  }
  return expression;
}

function fieldsOf(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const fields = text.split(',').map((field) => field.trim());
  if (fields.includes('')) throw new SvcError('usage', `--fields: '${text}' has an empty name`);
  return fields;
}
