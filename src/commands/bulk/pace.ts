import { SvcError } from '../../kernel/errors.ts';
import type { Invocation, OptionDefinition } from '../definition.ts';
import { given, textValue, wholeNumber } from '../option-values.ts';

/** How fast a run may send. */
export interface Pace {
  readonly batchSize?: number;
  readonly concurrency?: number | 'auto';
  /** Records a second. */
  readonly rate?: number;
}

const BATCH_SIZE: OptionDefinition = { flags: '--batch-size <n>', describes: 'records a request' };
const CONCURRENCY: OptionDefinition = { flags: '--concurrency <n>', describes: "requests in flight, or 'auto'" };
const RATE: OptionDefinition = { flags: '--rate <n/s>', describes: 'records a second, at most' };

/** For a job that begins. */
export const PACE_FLAGS: readonly OptionDefinition[] = [
  { ...BATCH_SIZE, describes: `${BATCH_SIZE.describes} (100)` },
  CONCURRENCY,
  RATE,
];

/** For a job that goes on. */
export const RESUMED_PACE_FLAGS: readonly OptionDefinition[] = [BATCH_SIZE, CONCURRENCY, RATE].map(
  ({ flags, describes }) => ({ flags, describes: `${describes} (as before)` }),
);

/** What the flags say. @throws SvcError `usage` for what is no number or no rate */
export function paceOf({ options }: Pick<Invocation, 'options'>): Pace {
  const concurrency = textValue(options, 'concurrency');
  return {
    ...given('rate', rateOf(textValue(options, 'rate'))),
    ...given('batchSize', wholeNumber('--batch-size', textValue(options, 'batchSize'), 1)),
    ...given('concurrency', concurrency === 'auto' ? concurrency : wholeNumber('--concurrency', concurrency, 1)),
  };
}

function rateOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const rate = Number(/^(\d+(?:\.\d+)?)(?:\/s)?$/.exec(text)?.[1]);
  if (rate > 0) return rate;
  throw new SvcError('usage', `--rate: '${text}' is no rate`, { hint: 'write it like 500/s: records a second' });
}
