import { SvcError } from '../../kernel/errors.ts';
import type { OptionDefinition, OptionsOf } from '../definition.ts';
import { optionalProperty, parseWholeNumber } from '../options.ts';
import type { BulkOptions } from './bulk-request.ts';

export type ThroughputOptions = Partial<Pick<BulkOptions, 'batchSize' | 'concurrency' | 'rate'>>;

export const THROUGHPUT_FLAGS = [
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
