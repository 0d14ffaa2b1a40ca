import { lookup } from 'node:dns';
import { type ClientRequest, type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http';
import { request as secureRequest, Agent as TlsAgent } from 'node:https';
import { isIP, type LookupFunction, type TcpNetConnectOpts } from 'node:net';
import { connectionFault } from '../../kernel/connection-fault.ts';
import { messageOf, systemErrorCode } from '../../kernel/errors.ts';
import { RECEIVER_TIME } from '../../webhooks/form.ts';
import { isPrivateAddress } from './private-addresses.ts';

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The status that was answered, or why there was none. */
export interface Answer {
  readonly status: number | null;
  readonly error: string | null;
}

export interface Poster {
  /** Sends one request and follows nothing. Never rejects. */
  post(post: Post): Promise<Answer>;
  /** Ends what is under way, and what is kept open for further requests. */
  close(): void;
}

export interface PosterOptions {
  /** Whether targets on this machine and in private networks may be reached. */
  readonly privateTargets: boolean;
  /** Milliseconds until the answer has to be there. */
  readonly timeout?: number;
}

/** Bytes of an answer that are read, to keep its connection; nobody looks at them. */
const MOST_READ = 64 * 1024;
const KEPT_OPEN = { keepAlive: true, maxFreeSockets: 64, scheduling: 'lifo' } as const;

/** Why there is no answer: a connection was not made, or not waited for any longer. */
class NoAnswer extends Error {}

/** A connection that was kept open had been closed by the other side: this says nothing about the target. */
class StaleConnection extends Error {}

export function createPoster({ privateTargets, timeout = RECEIVER_TIME }: PosterOptions): Poster {
  const guard = privateTargets ? {} : { lookup: publicLookup };
  const agents = { plain: new PlainAgent(KEPT_OPEN), secure: new TlsAgent(KEPT_OPEN) };
  const underWay = new Set<ClientRequest>();
  const send = async ({ url: text, headers, body }: Post, agent?: false) => {
    const url = new URL(text);
    if (!privateTargets) refusePrivate(url);
    const [request, kept] =
      url.protocol === 'https:' ? ([secureRequest, agents.secure] as const) : ([plainRequest, agents.plain] as const);
    const length = { 'content-length': Buffer.byteLength(body) };
    const sent = request(url, { method: 'POST', headers: { ...headers, ...length }, agent: agent ?? kept, ...guard });
    underWay.add(sent.on('close', () => underWay.delete(sent)));
    return answerTo(sent, body, timeout);
  };
  return {
    post: async (post) => {
      try {
        return await send(post).catch((error: unknown) => {
          if (error instanceof StaleConnection) return send(post, false);
          throw error;
        });
      } catch (error) {
        return { status: null, error: reasonOf(error) };
      }
    },
    close: () => {
      for (const request of underWay) request.destroy(new NoAnswer('the service stopped'));
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** Sends a body, and resolves with the status once the answer has ended, or was cut: then its connection is free. */
function answerTo(request: ClientRequest, body: string, timeout: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => request.destroy(new NoAnswer(`no answer in ${timeout / 1_000} s`)), timeout);
    let answer: Answer | undefined;
    request.on('response', (response) => {
      answer = answerOf(response);
      readAway(response);
    });
    request.on('error', (error) => {
      if (answer) return;
      const isStale = request.reusedSocket && systemErrorCode(error) === 'ECONNRESET';
      reject(isStale ? new StaleConnection() : error);
    });
    request.on('close', () => {
      clearTimeout(late);
      if (answer) resolve(answer);
      else reject(new NoAnswer('the connection was closed before the answer was complete'));
    });
    request.end(body);
  });
}

function answerOf({ statusCode: status = 0 }: IncomingMessage): Answer {
  const isRedirect = status >= 300 && status < 400;
  return { status, error: isRedirect ? 'a redirect, which deliveries do not follow' : null };
}

function readAway(response: IncomingMessage): void {
  let read = 0;
  // What breaks off after the status says nothing about the delivery.
  response.on('error', () => undefined);
  response.on('data', (chunk: Buffer) => {
    read += chunk.length;
    if (read > MOST_READ) response.destroy();
  });
}

function refusePrivate({ hostname }: URL): void {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) !== 0 && isPrivateAddress(address)) throw privateTarget(address);
}

function privateTarget(address: string): NoAnswer {
  return new NoAnswer(`${address} is a private address, which deliveries may not reach`);
}

/** Finds only public addresses, at the moment of connecting: a name may lead elsewhere than when it was looked at. */
const publicLookup: NonNullable<TcpNetConnectOpts['lookup']> & LookupFunction = (hostname, options, found) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return found(error, '', 0);
    const open = addresses.filter(({ address }) => !isPrivateAddress(address));
    const [first] = open;
    if (!first) return found(privateTarget(`${addresses[0]?.address} (${hostname})`), '', 0);
    if (options.all) return found(null, open);
    found(null, first.address, first.family);
  });
};

function reasonOf(error: unknown): string {
  if (systemErrorCode(error) === 'ERR_INVALID_CHAR') return 'the auth token cannot stand in a header';
  return connectionFault(error) ?? messageOf(error);
}
