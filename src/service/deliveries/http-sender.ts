import { lookup } from 'node:dns';
import {
  type ClientRequest,
  type IncomingMessage,
  Agent as PlainAgent,
  request as plainRequest,
} from 'node:http';
import { request as secureRequest, Agent as TlsAgent } from 'node:https';
import { isIP, type LookupFunction, type TcpNetConnectOpts } from 'node:net';
import type { DeliveryAttempt, DeliveryFailure } from '../../catalog/local/delivery.ts';
import { describeConnectionError, findConnectionFailure } from '../../kernel/connection-error.ts';
import { messageOf, systemErrorCode } from '../../kernel/errors.ts';
import { monotonicTime } from '../../kernel/process.ts';
import { RECEIVER_TIMEOUT } from '../../webhooks/form.ts';
import { describeBody, MAX_KEPT_BYTES, type ResponseStart } from '../../webhooks/response-body.ts';
import { isPrivateAddress } from './private-addresses.ts';

export interface DeliveryRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Secrets to mask in the response. */
  readonly secrets?: readonly string[] | undefined;
}

/** The HTTP status with the start of the response, or why there is no response. */
export type AttemptResult = Omit<DeliveryAttempt, 'at'>;

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

/** Maximum bytes of a response to read. */
const MAX_DISCARDED_BYTES = 64 * 1024;
const KEEP_ALIVE = { keepAlive: true, maxFreeSockets: 64, scheduling: 'lifo' } as const;

class NoResponse extends Error {
  readonly reason: DeliveryFailure;

  constructor(message: string, reason: DeliveryFailure) {
    super(message);
    this.reason = reason;
  }
}

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
  const send = async (delivery: DeliveryRequest, agent?: false) => {
    const { url: text, headers, body } = delivery;
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
    return sendBody(sent, delivery, timeout);
  };
  return {
    send: async (request: DeliveryRequest): Promise<AttemptResult> => {
      const started = monotonicTime();
      const elapsed = (until = monotonicTime()) => Math.round(until - started);
      try {
        const { respondedAt, ...result } = await send(request).catch((error: unknown) => {
          if (error instanceof StaleConnection) return send(request, false);
          throw error;
        });
        return { ...result, milliseconds: elapsed(respondedAt) };
      } catch (error) {
        const [message, reason] = [describeError(error), findReason(error)];
        return { status: null, error: message, reason, milliseconds: elapsed(), body: null };
      }
    },
    close: () => {
      for (const request of inFlight)
        request.destroy(new NoResponse('the service stopped', 'other'));
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

interface ReceivedResponse {
  readonly respondedAt: number;
  readonly response: IncomingMessage;
  readonly start: ResponseStart;
}

type Received = Omit<AttemptResult, 'milliseconds'> & { readonly respondedAt: number };

function sendBody(
  request: ClientRequest,
  { body, secrets = [] }: DeliveryRequest,
  timeout: number,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => request.destroy(new NoResponse(`no response within ${timeout / 1_000} s`, 'timeout')),
      timeout,
    );
    let received: ReceivedResponse | undefined;
    request.on('response', (response) => {
      received = { respondedAt: monotonicTime(), response, start: readStart(response) };
    });
    request.on('error', (error) => {
      if (received) return;
      const isStale = request.reusedSocket && systemErrorCode(error) === 'ECONNRESET';
      reject(isStale ? new StaleConnection() : error);
    });
    request.on('close', () => {
      clearTimeout(timer);
      if (received) {
        const { response, start, respondedAt } = received;
        const described = describeBody(response.headers, start, secrets);
        resolve({ ...resultOf(response), body: described, respondedAt });
      } else {
        const message = 'the connection was closed before the response was complete';
        reject(new NoResponse(message, 'reset'));
      }
    });
    request.end(body);
  });
}

function resultOf({ statusCode: status = 0 }: IncomingMessage) {
  const reason = classifyStatus(status);
  return { status, error: reason === 'redirect' ? 'redirects are not followed' : null, reason };
}

/** Returns the reason why a status is a failure; null for a success. */
export function classifyStatus(status: number): DeliveryFailure | null {
  switch (Math.floor(status / 100)) {
    case 2:
      return null;
    case 3:
      return 'redirect';
    case 4:
      return 'http 4xx';
    case 5:
      return 'http 5xx';
    default:
      return 'other';
  }
}

/** Keeps the start of the body, and discards the rest, which makes the connection reusable. */
function readStart(response: IncomingMessage): ResponseStart {
  const start = { chunks: [] as Buffer[], isComplete: false };
  let read = 0;
  // Errors after the status do not affect the result.
  response.on('error', () => undefined);
  response.on('data', (chunk: Buffer) => {
    if (read < MAX_KEPT_BYTES) start.chunks.push(chunk.subarray(0, MAX_KEPT_BYTES - read));
    read += chunk.length;
    if (read > MAX_DISCARDED_BYTES) response.destroy();
  });
  response.on('end', () => {
    start.isComplete = read <= MAX_KEPT_BYTES;
  });
  return start;
}

function rejectPrivateHost({ hostname }: URL): void {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) !== 0 && isPrivateAddress(address)) throw createPrivateTargetError(address);
}

function createPrivateTargetError(address: string): NoResponse {
  return new NoResponse(
    `${address} is a private address, and deliveries to private addresses are not allowed`,
    'other',
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

function findReason(error: unknown): DeliveryFailure {
  return error instanceof NoResponse ? error.reason : (findConnectionFailure(error) ?? 'other');
}
