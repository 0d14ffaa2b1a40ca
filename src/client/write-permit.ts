import type { Call } from './call.ts';

/** Calls that have to be allowed to write, and a way to have that settled before the first of them. */
interface GuardedCalls {
  readonly call: Call;
  permit(): Promise<void>;
}

/**
 * Holds back whatever is no read until `beforeWrite` has resolved. It is called once, however many writes wait for it;
 * what it throws is what each of them throws, and nothing of them is sent.
 */
export function guardWrites(call: Call, beforeWrite: (() => Promise<void>) | undefined): GuardedCalls {
  let asked: Promise<void> | undefined;
  const permit = async () => {
    asked ??= beforeWrite?.();
    await asked;
  };
  return {
    permit,
    call: async (operation, request) => {
      if (operation.effect !== 'read') await permit();
      return call(operation, request);
    },
  };
}
