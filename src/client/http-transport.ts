import { Agent, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { AnswerBody, ENCODINGS } from './answer-body.ts';
import type { WireRequest } from './request.ts';
import { withTimeLimit } from './time-limit.ts';
import {
  CONNECT_TIMEOUT,
  NotConnected,
  type OpenTransport,
  replyHead,
  type Trust,
  type WireOptions,
  type WireReply,
} from './transport.ts';

/** Milliseconds that a connection is kept for the next request, unless the service says less. */
const IDLE = 4_000;

const ACCEPTED = { 'accept-encoding': ENCODINGS.join(', ') };

/**
 * Sends calls one at a time or a few at once over Node's own HTTP client, which costs a fraction of the start of a
 * fetch.
 */
export function httpTransport({ attemptTimeout, tls, connectTimeout = CONNECT_TIMEOUT }: HttpOptions): OpenTransport {
  let agent: Promise<Agent> | undefined;

  async function send(wire: WireRequest, signal: AbortSignal): Promise<WireReply> {
    agent ??= newAgent(wire.url, tls);
    return readReply(await responseTo(wire, { agent: await agent, connectTimeout, signal }));
  }

  return {
    transport: (wire, signal) => withTimeLimit(attemptTimeout, signal, (limited) => send(wire, limited)),
    close: async () => (await agent)?.destroy(),
  };
}

interface HttpOptions extends WireOptions {
  /** Milliseconds to open a connection, TLS included. */
  readonly connectTimeout?: number;
}

/** TLS is loaded for whoever speaks it. */
async function newAgent(url: string, tls: Trust | undefined): Promise<Agent> {
  const kept = { keepAlive: true, timeout: IDLE };
  if (!url.startsWith('https:')) return new Agent(kept);
  const https = await import('node:https');
  // Named, so that a server without HTTP/1.1 says so before anything is sent.
  return new https.Agent({ ...kept, ...tls, ALPNProtocols: ['http/1.1'] });
}

interface Way {
  readonly agent: Agent;
  readonly connectTimeout: number;
  readonly signal: AbortSignal;
}

/** Resolves with the head of the response. */
function responseTo({ url, headers, credentials, body }: WireRequest, way: Way): Promise<IncomingMessage> {
  const { agent, connectTimeout, signal } = way;
  return new Promise((resolve, reject) => {
    let isOpen = false;
    const outgoing = request(url, {
      method: 'POST',
      headers: { ...headers, ...credentials, ...ACCEPTED },
      agent,
      signal,
    });
    outgoing
      .on('socket', async (socket) => {
        isOpen = outgoing.reusedSocket || (await opens(socket, connectTimeout));
      })
      .on('response', resolve)
      // Without this, a connection that the service takes for another protocol is waited for until the attempt ends.
      .on('upgrade', (_, socket) => {
        socket.destroy();
        reject(Object.assign(new Error('the service switched to another protocol'), { code: 'ECONNRESET' }));
      })
      .on('error', (error) => reject(isOpen ? error : new NotConnected(error)))
      .end(body);
  });
}

/** @returns whether it opens, TLS included; otherwise it is closed with the reason */
function opens(socket: Socket, milliseconds: number): Promise<boolean> {
  return new Promise((resolve) => {
    const expire = () => socket.destroy(Object.assign(new Error(), { code: 'ETIMEDOUT' }));
    const timer = setTimeout(expire, milliseconds);
    const settle = (isOpen: boolean) => () => {
      clearTimeout(timer);
      resolve(isOpen);
    };
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', settle(true)).once('close', settle(false));
  });
}

async function readReply(incoming: IncomingMessage): Promise<WireReply> {
  const { statusCode = 0, headers } = incoming;
  const answer = new AnswerBody(headers['content-encoding']);
  await answer.read(incoming);
  return { ...replyHead(statusCode, (name) => headers[name]), answer: await answer.text() };
}
