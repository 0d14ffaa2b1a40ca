import type { Operation } from '../catalog/define.ts';
import { SvcError } from '../kernel/errors.ts';
import type { CallOutcome } from './client.ts';

/**
 * Returns the records of a response, which are compared and changed by their IDs. The client accepts
 * records without other fields.
 * @throws SvcError `invalid_response` for a record without an ID
 */
export function requireIds<Entry extends object>(
  { path }: Pick<Operation, 'path'>,
  records: readonly Entry[],
  field: keyof Entry & string,
): readonly Entry[] {
  if (records.some((record) => typeof record[field] !== 'string'))
    throw new SvcError('invalid_response', `${path} returned a record without ${field}`);
  return records;
}

/**
 * Returns the data of a response.
 * @throws SvcError `invalid_response` for a response without data
 */
export function requireData<Data>(reply: CallOutcome<Data>): Data {
  if (reply.sent && reply.data !== null) return reply.data;
  throw new SvcError('invalid_response', 'the response contains no data');
}
