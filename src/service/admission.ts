import type { Auth } from '../catalog/define.ts';
import type { Clock } from '../kernel/clock.ts';
import { authenticate } from './auth.ts';
import { SMALL_BODY, tooLarge } from './body.ts';
import { Refusal } from './refusal.ts';
import type { ServiceRequest } from './request.ts';
import type { Store } from './store/store.ts';

/** Bytes of large bodies that all requests hold together. */
const MOST_HELD = 64 * 1024 * 1024;
/** Milliseconds that a large body waits for others to be done. */
const PATIENCE = 10_000;

/** Decides whether the body of one request may be larger than `SMALL_BODY`. */
export interface Admission {
  /** @throws Refusal unless the credentials are right and there is room for that many bytes */
  admit(bytes: number): Promise<void>;
  readonly isGiven: boolean;
  /** Gives the room back, once the request has its answer. */
  end(): void;
}

/** Admits large bodies with valid credentials only, and only as many bytes at once as there is memory for. */
export function admissions({ store, clock }: { readonly store: Store; readonly clock: Clock }) {
  const room = createRoom(MOST_HELD, PATIENCE);
  return (auth: Auth, request: ServiceRequest): Admission => {
    let [isGiven, hasEnded, taken] = [false, false, 0];
    return {
      admit: async (bytes) => {
        if (auth === 'none') throw tooLarge(SMALL_BODY);
        await store.read((database) =>
          authenticate(auth, request, { database, now: clock.now(), after: () => undefined }),
        );
        await room.take(bytes);
        // The sender may have left while it waited.
        if (hasEnded) return room.giveBack(bytes);
        [isGiven, taken] = [true, bytes];
      },
      get isGiven() {
        return isGiven;
      },
      end: () => {
        hasEnded = true;
        if (taken > 0) room.giveBack(taken);
        taken = 0;
      },
    };
  };
}

/** Bytes that are lent out, to whoever asks first. */
function createRoom(most: number, patience: number) {
  let free = most;
  const waiting = new Set<{ readonly bytes: number; readonly enter: () => void }>();
  const letIn = () => {
    for (const next of waiting) {
      if (next.bytes > free) return;
      waiting.delete(next);
      free -= next.bytes;
      next.enter();
    }
  };
  return {
    /** @throws Refusal UNAVAILABLE when there is no room for too long */
    take: (bytes: number) =>
      new Promise<void>((resolve, reject) => {
        const leave = () => {
          waiting.delete(next);
          reject(new Refusal('UNAVAILABLE', 'Too many large requests at once.'));
          letIn();
        };
        const timer = setTimeout(leave, patience);
        const enter = () => {
          clearTimeout(timer);
          resolve();
        };
        const next = { bytes, enter };
        waiting.add(next);
        letIn();
      }),
    giveBack: (bytes: number) => {
      free += bytes;
      letIn();
    },
  };
}
