import type { JobDescription } from '../../bulk/journal/job-description.ts';
import { SvcError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/is-object.ts';
import type { BulkOptions } from './bulk-request.ts';
import type { ColumnMap } from './column-map.ts';

type Guard<Value> = (value: unknown) => value is Value;

const isText: Guard<string> = (value) => typeof value === 'string';
const isTextList: Guard<readonly string[]> = (value): value is readonly string[] =>
  Array.isArray(value) && value.every(isText);
const isCount: Guard<number> = (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isPositive: Guard<number> = (value): value is number => typeof value === 'number' && value > 0;

function isOneOf<const Choice extends string>(...choices: readonly Choice[]): Guard<Choice> {
  return (value): value is Choice => choices.some((choice) => choice === value);
}

export function isColumnMap(value: unknown): value is ColumnMap {
  return Array.isArray(value) && value.every((pair) => isTextList(pair) && pair.length === 2);
}

const GUARDS: { readonly [Name in keyof BulkOptions]-?: Guard<NonNullable<BulkOptions[Name]>> } = {
  file: isTextList,
  inputFormat: isOneOf('json', 'ndjson', 'csv', 'yaml'),
  map: isColumnMap,
  batchSize: isCount,
  concurrency: (value): value is number | 'auto' => value === 'auto' || isCount(value),
  rate: isPositive,
  onError: isOneOf('continue', 'stop'),
  maxErrors: isCount,
  duplicates: isOneOf('fail', 'first', 'last'),
  ifExists: isOneOf('skip', 'update'),
  shard: (value): value is NonNullable<BulkOptions['shard']> =>
    isObject(value) && isCount(value['part']) && isCount(value['of']),
  rejects: isText,
  results: isText,
};

const REQUIRED = ['concurrency', 'onError', 'duplicates'] as const satisfies readonly (keyof BulkOptions)[];

/** @throws SvcError `local` for an unknown, missing, or invalid option */
export function parseStoredOptions({ job, options }: Pick<JobDescription, 'job' | 'options'>): BulkOptions {
  const names = new Set([...REQUIRED, ...Object.keys(options)]);
  for (const name of names) {
    if (isOptionName(name) && GUARDS[name](options[name])) continue;
    throw new SvcError('local', `job ${job} has an option that this version of svc cannot read: ${name}`, {
      hint: 'resume the job with the version that started it',
    });
  }
  return options as object as BulkOptions;
}

function isOptionName(name: string): name is keyof BulkOptions {
  return Object.hasOwn(GUARDS, name);
}
