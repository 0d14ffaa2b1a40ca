import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyParts } from './body.ts';
import { ANSWER_TYPE, type Answer, failure } from './envelope.ts';
import { badRequest } from './refusal.ts';
import type { Answerer, ServiceRequest } from './request.ts';

/** Answers what comes in on a port. */
export async function respond(answer: Answerer, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const hasHost = HOST.test(incoming.headers.host ?? '');
  // Never at once: a server that is closing gives the answer a header of its own, once the request has been announced.
  send(outgoing, await (hasHost ? answer(requestOf(incoming)) : failure(badRequest())));
}

/** A name or an address, and a port. */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/i;

function requestOf(incoming: IncomingMessage): ServiceRequest {
  const { method = '', url: target = '', headers } = incoming;
  return { method, target, header: (name) => headers[name]?.toString(), body: () => bodyOf(incoming) };
}

function bodyOf(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const parts = bodyParts();
  return new Promise((resolve, reject) => {
    incoming.on('data', parts.add);
    incoming.on('end', () => resolve(parts.whole()));
    incoming.on('error', () => reject(badRequest()));
  });
}

function send(outgoing: ServerResponse, { status, body }: Answer): void {
  outgoing.writeHead(status, { 'content-type': ANSWER_TYPE, 'content-length': Buffer.byteLength(body) });
  outgoing.end(body);
}
