import { SvcError } from '../kernel/errors.ts';
import type { Client } from './client-types.ts';
import type { CalledOperation } from './request.ts';

/** Wraps a client so that it sends no write, whatever its caller does. */
export function createReadOnlyClient(client: Client): Client {
  const check = ({ effect, path }: Pick<CalledOperation, 'effect' | 'path'>) => {
    if (effect !== 'read') throw new SvcError('bug', `a command that only reads tried to write: ${path}`);
  };
  return {
    call: async (operation, input) => {
      check(operation);
      return client.call(operation, input);
    },
    send: async (operation, data) => {
      check(operation);
      return client.send(operation, data);
    },
    sendText: async (operation, dataText, ids) => {
      check(operation);
      return client.sendText(operation, dataText, ids);
    },
    ensureWritesAllowed: async () => {
      throw new SvcError('bug', 'a command that only reads asked for permission to write');
    },
  };
}
