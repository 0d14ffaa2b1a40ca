import { SvcError } from '../../kernel/errors.ts';
import { isObject, tryParseJson } from '../../kernel/json.ts';
import { isSuccessStatus } from '../listener.ts';
import { type PostOptions, sendPost } from '../post.ts';

export interface ReceiverEffect {
  readonly id: string;
  readonly event?: string;
}

const MAX_EFFECTS_BYTES = 8 * 1024 * 1024;

/**
 * Fetches a JSON list of delivery IDs, or of objects with `id` and `event`.
 * @throws SvcError `invalid_response`
 */
export async function fetchEffects(
  url: URL,
  options: PostOptions,
): Promise<readonly ReceiverEffect[]> {
  const request = { method: 'GET', url, headers: [], body: '' };
  const result = await sendPost(request, { ...options, responseLimit: MAX_EFFECTS_BYTES });
  if (result.status === null) throw createUnusableError(url, result.error);
  if (!isSuccessStatus(result))
    throw createUnusableError(url, `the response status is ${result.status}`);
  const effects = parseEffects(result.body);
  if (effects) return effects;
  throw createUnusableError(url, 'the response is not a list of deliveries');
}

function parseEffects(text: string): readonly ReceiverEffect[] | undefined {
  const list = tryParseJson(text);
  if (!Array.isArray(list)) return undefined;
  const effects = list.map((item: unknown) => (typeof item === 'string' ? { id: item } : item));
  return effects.every(isEffect) ? effects : undefined;
}

function isEffect(value: unknown): value is ReceiverEffect {
  return (
    isObject(value) &&
    typeof value['id'] === 'string' &&
    ['string', 'undefined'].includes(typeof value['event'])
  );
}

function createUnusableError(url: URL, problem: string): SvcError {
  return new SvcError('invalid_response', `--effects-url ${url.href}: ${problem}`, {
    hint: 'the URL must return the applied deliveries: a JSON list of delivery IDs, or of objects with id and event',
  });
}
