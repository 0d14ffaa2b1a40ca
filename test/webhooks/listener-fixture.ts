import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import {
  createListener,
  type ListenerDependencies,
  type ListenerEvent,
} from '../../src/webhooks/listener.ts';
import { type ReceiverOptions, startReceiver } from '../../src/webhooks/receiver.ts';
import { createSignatureHeaders } from '../../src/webhooks/signature.ts';
import { listen } from '../listen.ts';

export const newSecret = () => `whsec_${randomBytes(24).toString('base64')}`;
export const unixNow = () => Math.floor(Date.now() / 1000);

export interface Request {
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** A forwarding target that records its requests, and responds as the test specifies. */
export async function target(
  answer: (response: ServerResponse, count: number, request: Request) => void = (response) =>
    response.end(),
) {
  const received: Request[] = [];
  const server = createServer(async (incoming, response) => {
    const { rawHeaders, headers } = incoming;
    const request = { rawHeaders, headers, body: await buffer(incoming) };
    received.push(request);
    answer(response, received.length, request);
  });
  return { url: new URL(`http://${await listen(server)}/hook`), received };
}

export interface Sent {
  readonly status: number;
  readonly text: string;
}

/** Sends one request over a new connection, with the exact headers. */
export function send(
  url: string,
  body: Uint8Array | string,
  headers: Record<string, string | string[]>,
  method = 'POST',
) {
  return new Promise<Sent>((resolve, reject) => {
    const outgoing = request(url, { method, agent: false, headers });
    outgoing.on('error', reject).on('response', async (response) => {
      resolve({ status: response.statusCode ?? 0, text: (await buffer(response)).toString() });
    });
    outgoing.end(Buffer.from(body));
  });
}

/** The headers of a signed delivery. */
export function signed(
  secret: string,
  body: string | Uint8Array,
  id = `msg_${randomBytes(8).toString('hex')}`,
) {
  return {
    'content-type': 'application/json',
    ...createSignatureHeaders(secret, { id, timestamp: unixNow(), body }),
  };
}

export interface Listening extends Partial<Omit<ListenerDependencies, 'forwarding'>> {
  readonly forwarding?: Partial<ListenerDependencies['forwarding']>;
  readonly receiver?: Partial<ReceiverOptions>;
}

/** A listener on its own port, and its events. */
export async function listening({ forwarding, receiver, ...world }: Listening = {}) {
  const events: ListenerEvent[] = [];
  const refusals: string[] = [];
  const failures: unknown[] = [];
  const secret = newSecret();
  const { handle, replayLast } = createListener({
    proofs: { secrets: [secret] },
    skipVerify: false,
    forwarding: { routes: [], isDecoded: false, postOptions: { timeout: 2_000 }, ...forwarding },
    clock: systemClock,
    signal: new AbortController().signal,
    emit: async (event) => void events.push(event),
    ...world,
  });
  const { url, close } = await startReceiver({
    address: { host: '127.0.0.1', port: 0 },
    allowedHosts: [],
    handle,
    onRejected: async (reason) => void refusals.push(reason),
    onError: (error) => failures.push(error),
    ...receiver,
  });
  onTestFinished(() => close(0));
  return { url, secret, events, refusals, failures, replayLast };
}
