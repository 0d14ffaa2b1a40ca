import { lookup } from 'node:dns';
import {
  type ClientRequest,
  type IncomingMessage,
  Agent as PlainAgent,
  request as plainRequest,
} from 'node:http';
import { request as secureRequest, Agent as TlsAgent } from 'node:https';
import { isIP, type LookupFunction, type TcpNetConnectOpts } from 'node:net';
import type { DeliveryAttempt } from '../../catalog/local/delivery.ts';
import { describeConnectionError } from '../../kernel/connection-error.ts';
import { messageOf, systemErrorCode } from '../../kernel/errors.ts';
import { RECEIVER_TIMEOUT } from '../../webhooks/form.ts';
import { isPrivateAddress } from './private-addresses.ts';

export interface DeliveryRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The HTTP status, or the reason why there is no response. */
export type AttemptResult = Pick<DeliveryAttempt, 'status' | 'error'>;

/** Sends deliveries over kept-alive connections. */
export interface HttpSender {
  readonly send: (request: DeliveryRequest) => Promise<AttemptResult>;
  /** Cancels the requests in flight and closes all connections. */
  readonly close: () => void;
}

export interface HttpSenderOptions {
  readonly allowPrivateTargets: boolean;
  /** Time limit for the complete response, in milliseconds. */
  readonly timeout?: number;
}

/** Maximum bytes of a response to read and discard, which makes the connection reusable. */
const MAX_DISCARDED_BYTES = 64 * 1024;
const KEEP_ALIVE = { keepAlive: true, maxFreeSockets: 64, scheduling: 'lifo' } as const;

class NoResponse extends Error {}

/**
 * Thrown if the target has closed a kept-alive connection. The request is then sent again on a new
 * connection.
 */
class StaleConnection extends Error {}

export function createHttpSender({
  allowPrivateTargets,
  timeout = RECEIVER_TIMEOUT,
}: HttpSenderOptions): HttpSender {
  const guard = allowPrivateTargets ? {} : { lookup: publicLookup };
  const agents = { plain: new PlainAgent(KEEP_ALIVE), secure: new TlsAgent(KEEP_ALIVE) };
  const inFlight = new Set<ClientRequest>();
  const send = async ({ url: text, headers, body }: DeliveryRequest, agent?: false) => {
    const url = new URL(text);
    if (!allowPrivateTargets) rejectPrivateHost(url);
    const [request, keptAlive] =
      url.protocol === 'https:'
        ? ([secureRequest, agents.secure] as const)
        : ([plainRequest, agents.plain] as const);
    const length = { 'content-length': Buffer.byteLength(body) };
    const sent = request(url, {
      method: 'POST',
      headers: { ...headers, ...length },
      agent: agent ?? keptAlive,
      ...guard,
    });
    inFlight.add(sent.on('close', () => inFlight.delete(sent)));
    return sendBody(sent, body, timeout);
  };
  return {
    send: async (request: DeliveryRequest): Promise<AttemptResult> => {
      try {
        return await send(request).catch((error: unknown) => {
          if (error instanceof StaleConnection) return send(request, false);
          throw error;
        });
      } catch (error) {
        return { status: null, error: describeError(error) };
      }
    },
    close: () => {
      for (const request of inFlight) request.destroy(new NoResponse('the service stopped'));
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

function sendBody(request: ClientRequest, body: string, timeout: number): Promise<AttemptResult> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => request.destroy(new NoResponse(`no response within ${timeout / 1_000} s`)),
      timeout,
    );
    let result: AttemptResult | undefined;
    request.on('response', (response) => {
      result = resultOf(response);
      discardBody(response);
    });
    request.on('error', (error) => {
      if (result) return;
      const isStale = request.reusedSocket && systemErrorCode(error) === 'ECONNRESET';
      reject(isStale ? new StaleConnection() : error);
    });
    request.on('close', () => {
      clearTimeout(timer);
      if (result) resolve(result);
      else reject(new NoResponse('the connection was closed before the response was complete'));
    });
    request.end(body);
  });
}

function resultOf({ statusCode: status = 0 }: IncomingMessage): AttemptResult {
  const isRedirect = status >= 300 && status < 400;
  return { status, error: isRedirect ? 'redirects are not followed' : null };
}

function discardBody(response: IncomingMessage): void {
  let read = 0;
  // Errors after the status do not affect the result.
  response.on('error', () => undefined);
  response.on('data', (chunk: Buffer) => {
    read += chunk.length;
    if (read > MAX_DISCARDED_BYTES) response.destroy();
  });
}

function rejectPrivateHost({ hostname }: URL): void {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) !== 0 && isPrivateAddress(address)) throw createPrivateTargetError(address);
}

function createPrivateTargetError(address: string): NoResponse {
  return new NoResponse(
    `${address} is a private address, and deliveries to private addresses are not allowed`,
  );
}

/**
 * Resolves a hostname to public addresses. Runs when connecting, because DNS answers can change
 * after a check.
 */
const publicLookup: NonNullable<TcpNetConnectOpts['lookup']> & LookupFunction = (
  hostname,
  options,
  done,
) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, '', 0);
    const publicAddresses = addresses.filter(({ address }) => !isPrivateAddress(address));
    const [first] = publicAddresses;
    if (!first)
      return done(createPrivateTargetError(`${addresses[0]?.address} (${hostname})`), '', 0);
    if (options.all) return done(null, publicAddresses);
    done(null, first.address, first.family);
  });
};

function describeError(error: unknown): string {
  if (systemErrorCode(error) === 'ERR_INVALID_CHAR')
    return 'the auth token contains characters that are not allowed in a header';
  return describeConnectionError(error) ?? messageOf(error);
}
