import type { Flag } from '../../catalog/flags.ts';
import { isObject } from '../../kernel/is-object.ts';
import { parseTimestamp } from '../../kernel/timestamp.ts';

type Timed = Pick<Flag, 'path' | 'kind' | 'keys'>;

/**
 * Converts time fields from milliseconds to seconds, if the value is too large to be in seconds.
 * @returns a warning for each conversion
 */
export function convertEpochs(flags: readonly Timed[], data: Record<string, unknown>): readonly string[] {
  return flags.flatMap((flag) => {
    const [field = '', ...rest] = flag.path;
    if (flag.kind === 'time' && rest.length === 0) return convert(data, field);
    const below = rest.length > 0 ? [{ ...flag, path: rest }] : (flag.keys ?? []);
    const inner = data[field];
    const owners = Array.isArray(inner) ? inner : [inner];
    return owners.filter(isObject).flatMap((owner) => convertEpochs(below, owner));
  });
}

function convert(owner: Record<string, unknown>, field: string): readonly string[] {
  const given = owner[field];
  const moment = typeof given === 'number' ? parseTimestamp(String(given), 0) : undefined;
  if (!moment?.wasMilliseconds) return [];
  owner[field] = moment.seconds;
  return [`${field}: ${given} is in milliseconds; sent as ${moment.seconds} seconds`];
}
