import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../../listen.ts';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
}

/** Returns the status of the response; `undefined` to not respond. */
type Responder = (
  received: Received,
  count: number,
  response: ServerResponse,
) => number | undefined;

/** Starts a receiver that collects the deliveries. */
export async function receiver(answer: Responder = () => 200) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const { url: path = '', headers } = request;
    const entry = { path, headers, body: await text(request), at: performance.now() };
    received.push(entry);
    const status = answer(entry, received.length, response);
    if (status !== undefined) response.writeHead(status).end();
  });
  return { url: `http://${await listen(server)}`, received };
}
