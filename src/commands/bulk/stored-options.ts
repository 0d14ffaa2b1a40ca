import type { JobDescription } from '../../bulk/journal/job-description.ts';
import { SvcError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/is-object.ts';
import type { BulkOptions } from './bulk-request.ts';
import type { ColumnMap } from './input-flags.ts';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isTextList: Check = (value) => Array.isArray(value) && value.every(isText);
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;

function isOneOf(...choices: readonly unknown[]): Check {
  return (value) => choices.includes(value);
}

export function isColumnMap(value: unknown): value is ColumnMap {
  return Array.isArray(value) && value.every((pair) => isTextList(pair) && pair.length === 2);
}

const CHECKS: Readonly<Record<keyof BulkOptions, Check>> = {
  file: isTextList,
  inputFormat: isOneOf('json', 'ndjson', 'csv', 'yaml'),
  map: isColumnMap,
  batchSize: isCount,
  concurrency: (value) => value === 'auto' || isCount(value),
  rate: (value) => typeof value === 'number' && value > 0,
  onError: isOneOf('continue', 'stop'),
  maxErrors: isCount,
  duplicates: isOneOf('fail', 'first', 'last'),
  ifExists: isOneOf('skip', 'update'),
  shard: (value) => isObject(value) && isCount(value['part']) && isCount(value['of']),
  rejects: isText,
  results: isText,
};

const REQUIRED = ['concurrency', 'onError', 'duplicates'] as const satisfies readonly (keyof BulkOptions)[];

/** @throws SvcError `local` for an unknown, missing, or invalid option */
export function parseStoredOptions({ job, options }: Pick<JobDescription, 'job' | 'options'>): BulkOptions {
  const checks = new Map<string, Check>(Object.entries(CHECKS));
  for (const name of new Set([...REQUIRED, ...Object.keys(options)])) {
    if (checks.get(name)?.(options[name])) continue;
    throw new SvcError('local', `job ${job} has an option that this version of svc cannot read: ${name}`, {
      hint: 'resume the job with the version that started it',
    });
  }
  return options as object as BulkOptions;
}
