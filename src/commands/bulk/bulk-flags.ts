import type { OperationEntry } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import type { Invocation, OptionDefinition, OptionsOf } from '../definition.ts';
import { FORCE_FLAG, optionalProperty, parseWholeNumber, selectOptions } from '../options.ts';
import type { BulkOptions } from './bulk-request.ts';
import {
  ALLOW_SUSPICIOUS_FLAG,
  DUPLICATES_FLAG,
  FILE_FLAG,
  INPUT_FLAGS,
  MAP_FILE_FLAG,
  MAP_FLAG,
  MAP_ORG_FLAG,
  type MapFileOptions,
  parseInputFlags,
  parseOrganizationMap,
  SAVE_MAP_FLAG,
} from './input-flags.ts';

export type ThroughputOptions = Partial<Pick<BulkOptions, 'batchSize' | 'concurrency' | 'rate'>>;

const THROUGHPUT_FLAGS = [
  { flags: '--batch-size <n>', description: 'records per request (default: 100)', isTuning: true },
  {
    flags: '--concurrency <n>',
    description: "requests in flight: a number, or 'auto' (default: auto; folders: 1)",
    isTuning: true,
  },
  { flags: '--rate <n/s>', description: 'maximum records per second', isTuning: true },
] as const satisfies readonly OptionDefinition[];

export const RESUME_THROUGHPUT_FLAGS = [
  { flags: '--batch-size <n>', description: 'records per request (default: as before)' },
  {
    flags: '--concurrency <n>',
    description: "requests in flight: a number, or 'auto' (default: as before)",
  },
  { flags: '--rate <n/s>', description: 'maximum records per second (default: as before)' },
] as const satisfies readonly OptionDefinition[];

export type ThroughputFlags = OptionsOf<typeof THROUGHPUT_FLAGS>;

/** Parses the throughput flags. @throws SvcError `usage` for an invalid value */
export function parseThroughput({
  batchSize,
  concurrency,
  rate,
}: ThroughputFlags): ThroughputOptions {
  return {
    ...optionalProperty('rate', parseRate(rate)),
    ...optionalProperty('batchSize', parseWholeNumber('--batch-size', batchSize, 1)),
    ...optionalProperty('concurrency', parseConcurrency(concurrency)),
  };
}

function parseConcurrency(text: string | undefined): number | 'auto' | undefined {
  if (text === undefined || text === 'auto') return text;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && Number.isSafeInteger(value)) return value;
  throw new SvcError(
    'usage',
    `--concurrency must be a whole number of at least 1, or 'auto', got '${text}'`,
  );
}

function parseRate(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const rate = Number(/^(\d+(?:\.\d+)?)(?:\/s)?$/.exec(text)?.[1]);
  if (rate > 0) return rate;
  throw new SvcError(
    'usage',
    `--rate must be a number of records per second such as 500/s, got '${text}'`,
  );
}

export const REJECTS_FLAG = {
  flags: '--rejects <path>',
  description: 'file for failed records, in the format of the input',
  file: 'rejects',
} as const satisfies OptionDefinition;

const BULK_FLAGS = [
  FILE_FLAG,
  ...INPUT_FLAGS,
  MAP_FLAG,
  MAP_ORG_FLAG,
  MAP_FILE_FLAG,
  SAVE_MAP_FLAG,
  DUPLICATES_FLAG,
  ALLOW_SUSPICIOUS_FLAG,
  REJECTS_FLAG,
  {
    flags: '--results <path>',
    description: 'file for the result of each record (NDJSON)',
    file: 'results',
  },
  FORCE_FLAG,
  ...THROUGHPUT_FLAGS,
  {
    flags: '--shard <i/n>',
    description: 'process only shard i of n; records are assigned to shards by ID',
    isTuning: true,
  },
  {
    flags: '--on-error <action>',
    description: 'action after a failed record (default: continue)',
    choices: ['continue', 'stop'],
    isTuning: true,
  },
  { flags: '--max-errors <n>', description: 'stop after this many failed records', isTuning: true },
] as const satisfies readonly OptionDefinition[];

const IF_EXISTS_FLAG = {
  flags: '--if-exists <action>',
  description: 'how to handle records that already exist (default: fail)',
  choices: ['fail', 'skip', 'update'],
} as const satisfies OptionDefinition;

export function bulkFlags({ ifExists, flags }: OperationEntry): readonly OptionDefinition[] {
  const namesOrganization = flags.some(({ name, ofRecord }) => name === 'org' && !ofRecord);
  const all = BULK_FLAGS.filter((flag) => namesOrganization || flag !== MAP_ORG_FLAG);
  const given = ifExists ? [{ ...IF_EXISTS_FLAG, choices: ifExists }, ...all] : all;
  return given.map((flag) => ({ ...flag, section: 'file' }));
}

export function parseBulkOptions(invocation: Invocation): BulkOptions {
  const options = selectOptions([...BULK_FLAGS, IF_EXISTS_FLAG], invocation.options);
  const file = options.file ?? [];
  return {
    ...(file.length > 0 && { file }),
    ...parseInputFlags(options),
    ...optionalProperty('allowSuspicious', options.allowSuspicious),
    ...optionalProperty('mapOrg', parseOrganizationMap(options.mapOrg)),
    ...optionalProperty('shard', parseShard(options.shard)),
    ...optionalProperty('maxErrors', parseWholeNumber('--max-errors', options.maxErrors, 0)),
    ...optionalProperty('rejects', options.rejects),
    ...optionalProperty('results', options.results),
    concurrency: 'auto',
    ...parseThroughput(options),
    onError: options.onError ?? 'continue',
    duplicates: options.duplicates ?? 'fail',
    ...(options.ifExists && options.ifExists !== 'fail' && { ifExists: options.ifExists }),
  };
}

export function parseMapFile({ options }: Invocation): MapFileOptions {
  return selectOptions([MAP_FILE_FLAG, SAVE_MAP_FLAG], options);
}

function parseShard(text: string | undefined): BulkOptions['shard'] {
  if (text === undefined) return undefined;
  const [part, of] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).slice(1).map(Number);
  if (part !== undefined && of !== undefined && part >= 1 && part <= of) return { part, of };
  throw new SvcError('usage', `--shard must be i/n with i from 1 to n, got '${text}'`, {
    hint: 'for four machines, use --shard 1/4, 2/4, 3/4, and 4/4',
  });
}
