import { monotonicTime } from '../../kernel/process.ts';
import { Refusal } from './refusal.ts';
import type { Store } from './store.ts';

/** Maximum time that the database may take to answer a statement, in milliseconds. */
const MAX_STALL = 15_000;

/**
 * Limits how long reads and writes wait while the database does not answer a statement. It may
 * answer those of other connections, as a pooler without a free server does. A write may still be
 * applied later. Without a remote database, returns the store itself.
 */
export function limitStalls(store: Store, maxStall = MAX_STALL): Store {
  const { unansweredSince } = store;
  if (!unansweredSince) return store;
  const limit = <Result>(result: Promise<Result>): Promise<Result> =>
    new Promise((resolve, reject) => {
      const started = monotonicTime();
      let timer: NodeJS.Timeout;
      const check = () => {
        const since = unansweredSince();
        const idle = since === undefined ? 0 : monotonicTime() - Math.max(started, since);
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
