import { FEATURES, type Feature } from '../../catalog/define.ts';
import { parseDuration } from '../../kernel/duration.ts';
import { SvcError } from '../../kernel/errors.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import type { ServiceOptions } from '../../service/app.ts';
import { optionalProperty } from '../option-values.ts';
import type { ServeFlags } from './flags.ts';

/** Parses the flags that configure the service. */
export function parseServiceSwitches(options: ServeFlags): ServiceOptions {
  const without = options.without;
  const rateLimit = options.rateLimit;
  return {
    ...optionalProperty('without', without?.split(',').map(parseFeature)),
    ...optionalProperty('rateLimit', rateLimit === undefined ? undefined : parseRateLimit(rateLimit)),
    strict: options.strict === true,
  };
}

export function parseTimeScale(options: ServeFlags): number {
  const text = options.timeScale ?? '1';
  const factor = /^\d+(\.\d+)?(e-?\d+)?$/i.test(text) ? Number(text) : 0;
  if (factor > 0 && factor <= MAX_TIME_SCALE) return factor;
  throw new SvcError('usage', `--time-scale must be a number above 0 and at most ${MAX_TIME_SCALE}, got '${text}'`, {
    hint: 'for example --time-scale 0.001 turns an hour into 3.6 s',
  });
}

const MAX_TIME_SCALE = 1_000;

function parseFeature(name: string): Feature {
  const feature = FEATURES.find((known) => known === name.trim());
  if (feature) return feature;
  throw new SvcError('usage', `--without: unknown feature '${name}'`, { hint: didYouMean(name, FEATURES) });
}

/** Parses a rate limit, such as `60/1m`, as calls per milliseconds. */
function parseRateLimit(text: string): NonNullable<ServiceOptions['rateLimit']> {
  const [, calls, time = ''] = /^([1-9]\d{0,8})\/(.+)$/.exec(text) ?? [];
  const window = parseDuration(time);
  if (calls === undefined || !window) {
    throw new SvcError('usage', `--rate-limit must be calls per duration, got '${text}'`, {
      hint: 'for example --rate-limit 60/1m',
    });
  }
  return { calls: Number(calls), window };
}
