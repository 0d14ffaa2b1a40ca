import type { SendWithRetries } from './call.ts';

/** Calls whose writes require permission, and a function to request it in advance. */
interface GuardedCalls {
  readonly send: SendWithRetries;
  ensureAllowed(): Promise<void>;
}

/**
 * Delays writes until `beforeWrite` has resolved. Calls it at most once, however many writes are waiting. If it rejects,
 * each write rejects with the same error, and none is sent.
 */
export function guardWrites(call: SendWithRetries, beforeWrite: (() => Promise<void>) | undefined): GuardedCalls {
  let permission: Promise<void> | undefined;
  const ensureAllowed = async () => {
    permission ??= beforeWrite?.();
    await permission;
  };
  return {
    ensureAllowed,
    send: async (operation, request) => {
      if (operation.effect !== 'read') await ensureAllowed();
      return call(operation, request);
    },
  };
}
