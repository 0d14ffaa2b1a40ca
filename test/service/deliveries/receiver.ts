import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}
