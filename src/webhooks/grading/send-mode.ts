import type { ClientRequest } from 'node:http';
import type { Clock } from '../../kernel/clock.ts';
import { monotonicTime } from '../../kernel/process.ts';
import type { PostOptions } from '../post.ts';

/**
 * How to send the body: at once, byte by byte, or only the first half before closing the
 * connection.
 */
export type SendMode = 'whole' | 'byte by byte' | 'cut';
/** Delay between two bytes, in milliseconds. */
const BYTE_PAUSE = 1;
/** Time limit for sending byte by byte, in milliseconds, even on a busy machine. */
const MAX_SEND_TIME = 10_000;

/** Sends a body and measures the time, which does not count toward the receiver's response time. */
export interface BodySender {
  readonly write?: NonNullable<PostOptions['write']>;
  readonly allowance: number;
  elapsed(): number;
}

export function createBodySender(
  sendMode: SendMode,
  clock: Clock,
  signal: AbortSignal,
): BodySender {
  const atOnce: BodySender = { allowance: 0, elapsed: () => 0 };
  switch (sendMode) {
    case 'whole':
      return atOnce;
    case 'cut':
      // Closes only this side of the connection, so that a response can still arrive.
      return {
        ...atOnce,
        write: (request, body) =>
          request.write(body.subarray(0, body.length / 2), () => request.socket?.end()),
      };
    case 'byte by byte':
      return createSlowSender((pause) => clock.sleep(pause, signal));
  }
}

function createSlowSender(sleep: (pause: number) => Promise<void>): BodySender {
  let elapsed = 0;
  const writeSlowly = async (request: ClientRequest, body: Buffer) => {
    const started = monotonicTime();
    request.setNoDelay(true);
    for (const byte of body) {
      if (request.destroyed) return;
      request.write(Buffer.of(byte));
      await sleep(BYTE_PAUSE);
      elapsed = Math.round(monotonicTime() - started);
    }
    request.end();
  };
  return {
    allowance: MAX_SEND_TIME,
    elapsed: () => elapsed,
    write: (request, body) =>
      void writeSlowly(request, body).catch((error: Error) => request.destroy(error)),
  };
}
