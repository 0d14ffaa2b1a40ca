import { SvcError } from '../../kernel/errors.ts';
import type { Invocation, OptionDefinition } from '../definition.ts';
import { given, textValue, textValues, wholeNumber } from '../option-values.ts';
import { columnPairs, MAP_FLAG } from './column-map.ts';
import { PACE_FLAGS, paceOf } from './pace.ts';
import { DUPLICATES_FLAG, FILE_FLAG, INPUT_FORMAT_FLAG } from './record-flags.ts';
import type { BulkOptions } from './request.ts';

/** Flags of every command that takes many records. */
export const BULK_FLAGS: readonly OptionDefinition[] = [
  FILE_FLAG,
  INPUT_FORMAT_FLAG,
  MAP_FLAG,
  ...PACE_FLAGS,
  { flags: '--on-error <what>', describes: 'after a failed record (continue)', choices: ['continue', 'stop'] },
  { flags: '--max-errors <n>', describes: 'stop after this many failed records' },
  DUPLICATES_FLAG,
  { flags: '--shard <i/n>', describes: 'only the i-th of n parts of the records, told by their ids' },
  { flags: '--rejects <path>', describes: 'where failed records go, in the format of the files' },
  { flags: '--results <path>', describes: 'where the result of each record goes, as NDJSON' },
];

export function bulkOptions({ options }: Invocation): BulkOptions {
  const text = (name: string) => textValue(options, name);
  const file = textValues(options, 'file');
  return {
    ...(file.length > 0 && { file }),
    ...given('inputFormat', text('inputFormat') as BulkOptions['inputFormat']),
    ...given('map', columnPairs(options['map'])),
    ...given('shard', shardOf(text('shard'))),
    ...given('maxErrors', wholeNumber('--max-errors', text('maxErrors'), 0)),
    ...given('rejects', text('rejects')),
    ...given('results', text('results')),
    concurrency: 'auto',
    ...paceOf({ options }),
    onError: text('onError') === 'stop' ? 'stop' : 'continue',
    duplicates: (text('duplicates') ?? 'fail') as BulkOptions['duplicates'],
  };
}

function shardOf(text: string | undefined): BulkOptions['shard'] {
  if (text === undefined) return undefined;
  const [part, of] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).slice(1).map(Number);
  if (part !== undefined && of !== undefined && part >= 1 && part <= of) return { part, of };
  throw new SvcError('usage', `--shard: '${text}' is no part of a whole`, {
    hint: 'write it like 1/4, 2/4, 3/4 and 4/4 on four machines',
  });
}
