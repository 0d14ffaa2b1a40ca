import { SvcError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/is-object.ts';
import { jsonValue } from '../../kernel/json-value.ts';
import { isSuccess } from '../listener.ts';
import { type PostOptions, post } from '../post.ts';

/** Something that a receiver did because of a delivery. */
export interface Effect {
  readonly id: string;
  /** The event type, where the receiver tells. */
  readonly event?: string;
}

/** Bytes of a list of effects. */
const LONGEST = 8 * 1024 * 1024;

/**
 * What a receiver says that it has done so far: a JSON list of delivery ids, or of objects with `id` and `event`.
 * @throws SvcError `unusable_answer` for anything else
 */
export async function readEffects(url: URL, options: PostOptions): Promise<readonly Effect[]> {
  const receipt = await post({ method: 'GET', url, headers: [], body: '' }, { ...options, answerLimit: LONGEST });
  if (receipt.status === null) throw unusable(url, receipt.error);
  if (!isSuccess(receipt)) throw unusable(url, `it answered ${receipt.status}`);
  const effects = effectsOf(receipt.body);
  if (effects) return effects;
  throw unusable(url, 'that is no list of deliveries');
}

function effectsOf(text: string): readonly Effect[] | undefined {
  const list = jsonValue(text);
  if (!Array.isArray(list)) return undefined;
  const effects = list.map((item: unknown) => (typeof item === 'string' ? { id: item } : item));
  return effects.every(isEffect) ? effects : undefined;
}

function isEffect(value: unknown): value is Effect {
  return isObject(value) && typeof value['id'] === 'string' && ['string', 'undefined'].includes(typeof value['event']);
}

function unusable(url: URL, problem: string): SvcError {
  return new SvcError('unusable_answer', `--effects-url ${url.href}: ${problem}`, {
    hint: 'it should answer what was applied so far: a JSON list of delivery ids, or of objects with id and event',
  });
}
