import type { ClientRequest } from 'node:http';
import type { Clock } from '../../kernel/clock.ts';
import type { PostOptions } from '../post.ts';

/** How the bytes of a delivery go out: at once, one by one, or half of them before the sender hangs up. */
export type Manner = 'whole' | 'byte by byte' | 'cut';

/** Milliseconds between two bytes. */
const PAUSE = 1;
/** Milliseconds that sending them may take, on a machine that is busy with something else. */
const LONGEST = 10_000;

/** How a delivery is sent: it is the receiver that is graded, so the time that this takes is not held against it. */
export interface Sending {
  readonly write?: NonNullable<PostOptions['write']>;
  /** Milliseconds that it may take. */
  readonly allowance: number;
  /** Milliseconds that it took. */
  took(): number;
}

export function sendingOf(manner: Manner, clock: Clock, signal: AbortSignal): Sending {
  const atOnce: Sending = { allowance: 0, took: () => 0 };
  switch (manner) {
    case 'whole':
      return atOnce;
    case 'cut':
      // What the receiver says can still be heard: only this side of the connection ends.
      return {
        ...atOnce,
        write: (request, body) => request.write(body.subarray(0, body.length / 2), () => request.socket?.end()),
      };
    case 'byte by byte':
      return trickling((pause) => clock.sleep(pause, signal));
  }
}

function trickling(sleep: (pause: number) => Promise<void>): Sending {
  let took = 0;
  const trickle = async (request: ClientRequest, body: Buffer) => {
    const started = performance.now();
    request.setNoDelay(true);
    for (const byte of body) {
      if (request.destroyed) return;
      request.write(Buffer.of(byte));
      await sleep(PAUSE);
      took = Math.round(performance.now() - started);
    }
    request.end();
  };
  return {
    allowance: LONGEST,
    took: () => took,
    write: (request, body) => void trickle(request, body).catch((error: Error) => request.destroy(error)),
  };
}
