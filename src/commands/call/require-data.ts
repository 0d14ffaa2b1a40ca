import type { CallOutcome } from '../../client/client.ts';
import { SvcError } from '../../kernel/errors.ts';

/**
 * Returns the data of a response.
 * @throws SvcError `invalid_response` for a response without data
 */
export function requireData<Data>(reply: CallOutcome<Data>): Data {
  if (reply.sent && reply.data !== null) return reply.data;
  throw new SvcError('invalid_response', 'the response contains no data');
}
