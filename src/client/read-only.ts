import { SvcError } from '../kernel/errors.ts';
import type { Client } from './client-types.ts';
import type { CalledOperation } from './request.ts';

export function createReadOnlyClient(client: Client): Client {
  const requireRead = <Called extends Pick<CalledOperation, 'effect' | 'path'>>(
    operation: Called,
  ): Called => {
    if (operation.effect === 'read') return operation;
    throw new SvcError('bug', `a command that only reads tried to write: ${operation.path}`);
  };
  return {
    call: async (operation, input) => client.call(requireRead(operation), input),
    send: async (operation, data) => client.send(requireRead(operation), data),
    sendText: async (operation, dataText, ids) =>
      client.sendText(requireRead(operation), dataText, ids),
    ensureWritesAllowed: async () => {
      throw new SvcError('bug', 'a command that only reads asked for permission to write');
    },
  };
}
