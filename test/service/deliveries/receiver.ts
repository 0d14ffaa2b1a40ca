import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../../listen.ts';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
}

/** The status to answer with; nothing is answered where there is none. */
type Answerer = (received: Received, count: number, response: ServerResponse) => number | undefined;

/** A receiver of deliveries, which keeps what came. */
export async function receiver(answer: Answerer = () => 200) {
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
