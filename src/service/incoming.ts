import type { IncomingMessage, ServerResponse } from 'node:http';
import { findForeignHeader, parseHostname } from '../kernel/loopback.ts';
import { failureResponse, RESPONSE_TYPE, type ServiceResponse } from './calls/envelope.ts';
import type { ChunkConsumer, RequestHandler } from './calls/request.ts';
import { badRequest, invalidArgument, Refusal } from './store/refusal.ts';

/** Timeouts are in milliseconds without progress. */
interface ReceiveOptions {
  readonly stalled: number;
  readonly unread: number;
  readonly isLoopback: boolean;
  readonly slots: RequestSlots;
}

/** Limits the requests that have arrived completely and wait for their responses. */
interface RequestSlots {
  /** @throws Refusal UNAVAILABLE if all slots are taken */
  take(): void;
  release(): void;
}

export function createRequestSlots(limit: number): RequestSlots {
  let taken = 0;
  return {
    take: () => {
      if (taken >= limit) throw new Refusal('UNAVAILABLE', 'Too many requests at once.');
      taken += 1;
    },
    release: () => {
      taken -= 1;
    },
  };
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Sends `100 Continue` to a client that waits for it before sending the body. */
  readonly sendContinue?: (() => void) | undefined;
}

export async function respond(
  handle: RequestHandler,
  exchange: Exchange,
  options: ReceiveOptions,
): Promise<void> {
  const { incoming, outgoing } = exchange;
  const body = createBody(exchange, options);
  // Must be asynchronous, because a closing server sets a header on the response after it emits the
  // request.
  const refusal = await checkHead(incoming, options);
  const { method = '', url: target = '', headers } = incoming;
  const header = (name: string) => headers[name]?.toString();
  const isBodyPending = !incoming.complete;
  const request = { method, target, header, body: body.consumeBody, isBodyPending };
  const response = refusal ?? (await handle(request));
  body.release();
  if (response.sentShare === 'none') return void incoming.socket.destroy();
  const discarded = body.discard();
  // Some clients read the response only after sending the whole body. Without valid credentials,
  // the body is not read, and may never arrive.
  if (body.isStarted()) await discarded;
  // The next bytes on the connection may belong to this body.
  if (!incoming.complete) outgoing.setHeader('connection', 'close');
  writeResponse(outgoing, response, discarded);
  if (incoming.socket.writableLength > 0)
    outgoing.setTimeout(options.unread, () => outgoing.destroy());
}

/** Rejects a request whose `Expect` header is not `100-continue`. */
export function rejectExpectation(_: IncomingMessage, outgoing: ServerResponse): void {
  const { body } = failureResponse(invalidArgument('The Expect header must be 100-continue.'));
  writeResponse(outgoing.setHeader('connection', 'close'), { status: 417, body });
}

async function checkHead(
  incoming: IncomingMessage,
  { isLoopback }: ReceiveOptions,
): Promise<ServiceResponse | undefined> {
  const hosts = hostsOf(incoming);
  // Load balancers may use HTTP/1.0 for health checks, without a Host header.
  const hasValidCount =
    hosts.length === 1 || (hosts.length === 0 && incoming.httpVersion === '1.0');
  if (!hasValidCount || !hosts.every((host) => parseHostname(host)))
    return failureResponse(badRequest());
  if (!isLoopback) return undefined;
  const named = [...hosts, ...hostsOfTarget(incoming)];
  switch (findForeignHeader({ hosts: named, origin: incoming.headers.origin })) {
    case 'host':
      return {
        ...failureResponse(invalidArgument('The Host header does not name this machine.')),
        status: 421,
      };
    case 'origin':
      return failureResponse(
        new Refusal('PERMISSION_DENIED', 'The Origin header does not name this machine.'),
      );
    case undefined:
      return undefined;
  }
}

/** Returns the host of a target that is an absolute URL. It takes precedence over the header. */
function hostsOfTarget({ url = '' }: IncomingMessage): readonly string[] {
  return url.startsWith('/') ? [] : [URL.parse(url)?.host ?? ''].filter(Boolean);
}

function hostsOf({ rawHeaders }: IncomingMessage): readonly string[] {
  const hosts: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host')
      hosts.push(rawHeaders[at + 1] ?? '');
  }
  return hosts;
}

function createBody(
  { incoming, outgoing, sendContinue }: Exchange,
  { stalled: idleTimeout, slots }: ReceiveOptions,
) {
  let [isOpen, hasSlot, isStarted] = [true, false, false];
  let awaitsContinue = sendContinue !== undefined;
  const readBody = async (consume: ChunkConsumer) => {
    if (awaitsContinue) sendContinue?.();
    awaitsContinue = false;
    try {
      // Most bodies arrive with the head.
      const chunk = incoming.complete ? incoming.read() : undefined;
      if (chunk) await consume(chunk);
      else await readChunks(incoming, consume, idleTimeout);
    } catch (error) {
      isOpen = !(error instanceof BodyInterrupted);
      throw isOpen ? error : badRequest();
    }
  };
  const release = () => {
    if (hasSlot) slots.release();
    hasSlot = false;
  };
  const consumeBody = async (consume: ChunkConsumer) => {
    isStarted = true;
    await readBody(consume);
    slots.take();
    hasSlot = true;
    // The client may disconnect before the response.
    outgoing.once('close', release);
  };
  /** Reads and discards the rest of the body, if it may still arrive. */
  const discard = () => {
    if (isOpen && !awaitsContinue && !incoming.complete)
      return readBody(() => undefined).catch(() => undefined);
    if (!incoming.readableEnded) incoming.resume();
    return undefined;
  };
  return { consumeBody, discard, release, isStarted: () => isStarted };
}

class BodyInterrupted extends Error {}

function readChunks(
  incoming: IncomingMessage,
  consume: ChunkConsumer,
  idleTimeout: number,
): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    let isOpen = true;
    let stallTimer: NodeJS.Timeout | undefined;
    const stop = (reason?: unknown) => {
      isOpen = false;
      clearTimeout(stallTimer);
      if (reason === undefined) resolve();
      else reject(reason);
    };
    const onTimeout = () => {
      if (incoming.isPaused()) stallTimer?.refresh();
      else stop(new BodyInterrupted());
    };
    afterTurn(() => {
      if (isOpen) stallTimer = setTimeout(onTimeout, idleTimeout);
    });
    const resume = () => {
      stallTimer?.refresh();
      incoming.resume();
    };
    incoming.on('data', (chunk: Buffer) => {
      if (!isOpen) return;
      stallTimer?.refresh();
      try {
        const wait = consume(chunk);
        if (!wait) return;
        incoming.pause();
        wait.then(resume, stop);
      } catch (error) {
        stop(error);
      }
    });
    incoming.on('end', () => stop());
    incoming.on('error', () => stop(new BodyInterrupted()));
    incoming.resume();
  });
}

const startingTimers: (() => void)[] = [];

/**
 * Runs a function after this turn of the event loop. Most bodies are complete by then, and need no
 * timer.
 */
function afterTurn(start: () => void): void {
  if (startingTimers.length === 0)
    setImmediate(() => {
      for (const each of startingTimers.splice(0)) each();
    });
  startingTimers.push(start);
}

/** @param beforeEnd delays the end of the connection, but not the response */
function writeResponse(
  outgoing: ServerResponse,
  { status, body, headers, sentShare }: ServiceResponse,
  beforeEnd?: Promise<void>,
): void {
  outgoing.writeHead(status, {
    'content-type': RESPONSE_TYPE,
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  if (typeof sentShare !== 'number') {
    if (!beforeEnd) return void outgoing.end(body);
    outgoing.write(body);
    return void beforeEnd.then(() => outgoing.end());
  }
  const bytes = Buffer.from(body);
  outgoing.flushHeaders();
  outgoing.write(bytes.subarray(0, Math.floor(bytes.length * sentShare)), () => outgoing.destroy());
}
