import type { IncomingMessage, ServerResponse } from 'node:http';
import { foreignHeader, hostnameIn } from '../kernel/loopback.ts';
import { ANSWER_TYPE, type Answer, failure } from './envelope.ts';
import { badRequest, invalidArgument, Refusal } from './refusal.ts';
import type { Answerer, Intake, ServiceRequest } from './request.ts';

/** Milliseconds without progress after which a connection is closed. */
export interface Patience {
  /** Nothing more of a body arrives. */
  readonly stalled: number;
  /** The client reads nothing of a response. */
  readonly unread: number;
}

export interface Receiving extends Patience {
  /** Only this machine can reach the server. */
  readonly isLoopback: boolean;
}

export interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Tells a client that waits for it that it may send the body. */
  readonly invite?: (() => void) | undefined;
}

/** Answers a request that arrived on a port. */
export async function respond(answer: Answerer, exchange: Exchange, receiving: Receiving): Promise<void> {
  const { incoming, outgoing } = exchange;
  const body = bodyOf(exchange, receiving.stalled);
  // Never at once: a server that is closing gives the answer a header of its own, once the request has been announced.
  const refused = await headRefusal(incoming, receiving);
  const given = refused ?? (await answer(requestOf(incoming, body)));
  if (!incoming.readableEnded) await body.discard();
  write(outgoing, given);
  if (incoming.socket.writableLength > 0) outgoing.setTimeout(receiving.unread, () => outgoing.destroy());
}

/** Answers a request with an `Expect` header other than `100-continue`. */
export function refuseExpectation(_: IncomingMessage, outgoing: ServerResponse): void {
  const { body } = failure(invalidArgument('The Expect header takes only 100-continue.'));
  write(outgoing.setHeader('connection', 'close'), { status: 417, body });
}

async function headRefusal(incoming: IncomingMessage, { isLoopback }: Receiving): Promise<Answer | undefined> {
  const hosts = hostsOf(incoming);
  // HTTP/1.0, in which load balancers ask for signs of life, knows no Host header.
  const isEnough = hosts.length === 1 || (hosts.length === 0 && incoming.httpVersion === '1.0');
  if (!isEnough || !hosts.every((host) => hostnameIn(host))) return failure(badRequest());
  if (!isLoopback) return undefined;
  switch (foreignHeader({ hosts, origin: incoming.headers.origin })) {
    case 'host':
      return { ...failure(invalidArgument('The Host header does not name this machine.')), status: 421 };
    case 'origin':
      return failure(new Refusal('PERMISSION_DENIED', 'The Origin header does not name this machine.'));
    case undefined:
      return undefined;
  }
}

/** Every Host header: `headers` has the first one alone. */
function hostsOf({ rawHeaders }: IncomingMessage): readonly string[] {
  const hosts: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') hosts.push(rawHeaders[at + 1] ?? '');
  }
  return hosts;
}

function requestOf({ method = '', url: target = '', headers }: IncomingMessage, { takeIn }: Body): ServiceRequest {
  return { method, target, header: (name) => headers[name]?.toString(), body: takeIn };
}

interface Body {
  readonly takeIn: ServiceRequest['body'];
  /** Reads the rest away: its sender may listen only after the end of it. */
  discard(): Promise<void>;
}

/** @param patience milliseconds in which something has to arrive */
function bodyOf({ incoming, outgoing, invite }: Exchange, patience: number): Body {
  let isOpen = true;
  let isAwaited = invite !== undefined;
  const takeIn = async (intake: Intake) => {
    if (isAwaited) invite?.();
    isAwaited = false;
    try {
      await feed(incoming, intake, patience);
    } catch (error) {
      isOpen = !(error instanceof Broken);
      throw isOpen ? error : badRequest();
    }
  };
  const discard = async () => {
    if (isOpen && !isAwaited && !incoming.complete) await takeIn(() => undefined).catch(() => undefined);
    // What comes next on the connection may be the body that was waited for, or the rest of one that stopped.
    if (!incoming.complete) outgoing.setHeader('connection', 'close');
    incoming.resume();
  };
  return { takeIn, discard };
}

/** The sender of a body left, or sends no more. */
class Broken extends Error {}

function feed(incoming: IncomingMessage, intake: Intake, patience: number): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const stop = (reason?: unknown) => {
      clearTimeout(stalled);
      incoming.removeAllListeners('data').removeAllListeners('end').removeAllListeners('error');
      incoming.on('error', () => undefined);
      if (reason === undefined) resolve();
      else reject(reason);
    };
    const onTimeout = () => {
      if (incoming.isPaused()) stalled?.refresh();
      else stop(new Broken());
    };
    // Most bodies are there by now.
    const stalled = incoming.complete ? undefined : setTimeout(onTimeout, patience);
    const goOn = () => {
      stalled?.refresh();
      incoming.resume();
    };
    incoming.on('data', (part: Buffer) => {
      stalled?.refresh();
      try {
        const wait = intake(part);
        if (!wait) return;
        incoming.pause();
        wait.then(goOn, stop);
      } catch (error) {
        stop(error);
      }
    });
    incoming.on('end', () => stop());
    incoming.on('error', () => stop(new Broken()));
    incoming.resume();
  });
}

function write(outgoing: ServerResponse, { status, body }: Answer): void {
  outgoing.writeHead(status, { 'content-type': ANSWER_TYPE, 'content-length': Buffer.byteLength(body) });
  outgoing.end(body);
}
