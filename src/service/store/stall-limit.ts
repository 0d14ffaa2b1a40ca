import { monotonicTime } from '../../kernel/process.ts';
import { Refusal } from './refusal.ts';
import type { Store } from './store.ts';

/** Maximum time without any response of the database, in milliseconds. */
const MAX_STALL = 15_000;

/**
 * Limits how long reads and writes wait for a database that does not respond at all. A write may
 * still be applied later. Without a remote database, returns the store itself.
 */
export function limitStalls(store: Store, maxStall = MAX_STALL): Store {
  const { lastResponse } = store;
  if (!lastResponse) return store;
  const limit = <Result>(result: Promise<Result>): Promise<Result> =>
    new Promise((resolve, reject) => {
      const started = monotonicTime();
      let timer: NodeJS.Timeout;
      const check = () => {
        const idle = monotonicTime() - Math.max(started, lastResponse());
        if (idle >= maxStall)
          reject(new Refusal('UNAVAILABLE', 'The store does not respond. Try again later.'));
        else wait(maxStall - idle);
      };
      const wait = (milliseconds: number) => {
        timer = setTimeout(check, milliseconds).unref();
      };
      wait(maxStall);
      result.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  return {
    ...store,
    read: (work) => limit(store.read(work)),
    write: (work, scope) => limit(store.write(work, scope)),
  };
}
