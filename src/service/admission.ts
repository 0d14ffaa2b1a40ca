import type { Auth } from '../catalog/define.ts';
import type { Clock } from '../kernel/clock.ts';
import { once } from '../kernel/once.ts';
import { authenticate } from './auth.ts';
import { bodyTooLarge, MAX_UNCHECKED_BYTES, type TakeTurn } from './calls/body.ts';
import type { ServiceRequest } from './calls/request.ts';
import { createSerialQueue } from './store/file-queue.ts';
import { Refusal } from './store/refusal.ts';
import type { Store } from './store/store.ts';

const MAX_HELD_BYTES = 64 * 1024 * 1024;
const MAX_WAIT = 10_000;

/**
 * Large bodies require valid credentials, and get bytes from a shared budget in order of arrival.
 * They are handled in turns, so that small calls wait for one large call at most.
 */
export function createAdmissionControl({
  store,
  clock,
}: {
  readonly store: Store;
  readonly clock: Clock;
}) {
  const budget = createByteBudget(MAX_HELD_BYTES, MAX_WAIT);
  const takeTurn: TakeTurn = createSerialQueue();
  return (auth: Auth, request: ServiceRequest) => {
    let [isAdmitted, isReleased, heldBytes] = [false, false, 0];
    const checkCredentials = once(() =>
      store.read((database) =>
        authenticate(auth, request, { database, now: clock.now(), after: () => undefined }),
      ),
    );
    return {
      /** @throws Refusal if the credentials are invalid */
      authenticate: checkCredentials,
      /**
       * @throws Refusal if the credentials are invalid, or if the budget is not available in time
       */
      admit: async (bytes: number) => {
        if (auth === 'none') throw bodyTooLarge(MAX_UNCHECKED_BYTES);
        await checkCredentials();
        await budget.acquire(bytes);
        // The client may have disconnected in the meantime.
        if (isReleased) return budget.release(bytes);
        [isAdmitted, heldBytes] = [true, bytes];
      },
      takeTurn,
      // A getter would give each object a hidden class of its own, which keeps the request in
      // memory.
      isAdmitted: () => isAdmitted,
      release: () => {
        isReleased = true;
        if (heldBytes > 0) budget.release(heldBytes);
        heldBytes = 0;
      },
    };
  };
}

function createByteBudget(total: number, maxWait: number) {
  let free = total;
  const waiting = new Set<{ readonly bytes: number; readonly grant: () => void }>();
  const grantWaiting = () => {
    for (const next of waiting) {
      if (next.bytes > free) return;
      waiting.delete(next);
      free -= next.bytes;
      next.grant();
    }
  };
  return {
    /** @throws Refusal UNAVAILABLE if the bytes are not available in time */
    acquire: (bytes: number) =>
      new Promise<void>((resolve, reject) => {
        const onTimeout = () => {
          waiting.delete(next);
          reject(new Refusal('UNAVAILABLE', 'Too many large requests at once.'));
          grantWaiting();
        };
        const timer = setTimeout(onTimeout, maxWait);
        const grant = () => {
          clearTimeout(timer);
          resolve();
        };
        const next = { bytes, grant };
        waiting.add(next);
        grantWaiting();
      }),
    release: (bytes: number) => {
      free += bytes;
      grantWaiting();
    },
  };
}
