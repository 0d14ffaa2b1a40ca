import type { AnswerText } from './answer-body.ts';
import type { WireRequest } from './request.ts';

/** What came back over the wire, whatever it is. */
export interface WireReply {
  readonly httpStatus: number;
  readonly retryAfter: string | undefined;
  readonly location: string | undefined;
  /** When it was sent, by the clock of who sent it. */
  readonly date: string | undefined;
  readonly answer: AnswerText;
}

/**
 * Sends a request once; follows no redirect, so credentials stay with their host. Rejects when no complete reply came:
 * with an AttemptTimeout where it took too long, with the signal's reason where that aborted.
 */
export type Transport = (request: WireRequest, signal?: AbortSignal) => Promise<WireReply>;

/** A transport whose connections stay open for further requests, and are to be closed at the end. */
export interface OpenTransport {
  readonly transport: Transport;
  close(): Promise<void>;
}

/** What a transport over the network has to know. */
export interface WireOptions {
  /** Milliseconds one attempt may take, from the first byte sent to the last one received. */
  readonly attemptTimeout: number;
  /** Whom to trust, where it is not only whom Node trusts. */
  readonly tls?: Trust;
}

/** Authorities in PEM form. */
export interface Trust {
  readonly ca: string[];
}

/** No connection came about, TLS included, so that nothing was sent. */
export class NotConnected extends Error {
  constructor(cause: Error) {
    super('no connection', { cause });
    this.name = 'NotConnected';
  }
}

/** Milliseconds to open a connection, TLS included. */
export const CONNECT_TIMEOUT = 10_000;

/** The head of a reply, of the headers that are looked at. */
export function replyHead(
  httpStatus: number,
  header: (name: string) => string | readonly string[] | null | undefined,
): Omit<WireReply, 'answer'> {
  const one = (name: string) => {
    const value = header(name) ?? undefined;
    return typeof value === 'object' ? value[0] : value;
  };
  return { httpStatus, retryAfter: one('retry-after'), location: one('location'), date: one('date') };
}
