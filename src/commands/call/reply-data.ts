import type { Reply } from '../../client/client.ts';
import { SvcError } from '../../kernel/errors.ts';

/** The data of an answer that has to have some. @throws SvcError `unusable_answer` where it has none */
export function dataOf<Data>(reply: Reply<Data>): Data {
  if (reply.sent && reply.data !== null) return reply.data;
  throw new SvcError('unusable_answer', 'the service answered without data');
}
