import { FEATURES, type Feature } from '../../catalog/define.ts';
import { parseDuration } from '../../kernel/duration.ts';
import { SvcError } from '../../kernel/errors.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import type { Switches } from '../../service/app.ts';
import type { Invocation } from '../definition.ts';
import { given, textValue } from '../option-values.ts';

/** The switches of the service, from the flags of `svc serve`. */
export function serviceSwitches(options: Invocation['options']): Switches {
  const without = textValue(options, 'without');
  const rateLimit = textValue(options, 'rateLimit');
  return {
    ...given('without', without?.split(',').map(featureOf)),
    ...given('rateLimit', rateLimit === undefined ? undefined : rateOf(rateLimit)),
    strict: options['strict'] === true,
  };
}

/** What the delays between attempts of a delivery are multiplied by. */
export function timeScaleOf(options: Invocation['options']): number {
  const text = textValue(options, 'timeScale') ?? '1';
  const factor = /^\d+(\.\d+)?(e-?\d+)?$/i.test(text) ? Number(text) : 0;
  if (factor > 0 && factor <= MOST_SCALE) return factor;
  throw new SvcError('usage', `--time-scale: '${text}' is not a factor`, {
    hint: 'write it like 0.001, which makes an hour 3.6 s',
  });
}

const MOST_SCALE = 1_000;

function featureOf(name: string): Feature {
  const feature = FEATURES.find((known) => known === name.trim());
  if (feature) return feature;
  throw new SvcError('usage', `--without: '${name}' is no feature`, { hint: didYouMean(name, FEATURES) });
}

/** `60/1m` as calls in milliseconds. */
function rateOf(text: string): NonNullable<Switches['rateLimit']> {
  const [, calls, time = ''] = /^([1-9]\d{0,8})\/(.+)$/.exec(text) ?? [];
  const window = parseDuration(time);
  if (calls === undefined || !window) {
    throw new SvcError('usage', `--rate-limit: '${text}' is not a rate`, { hint: 'write it like 60/1m or 5/10s' });
  }
  return { calls: Number(calls), window };
}
