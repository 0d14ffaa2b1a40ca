import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../listen.ts';
import { requireUniqueNames } from '../unique-names.ts';

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly data: Readonly<Record<string, unknown>> };
}

/** Handles one request: returns an HTTP status and a JSON body, or writes the response itself. */
export type ResponseHandler = (
  received: ReceivedRequest,
  response: ServerResponse,
) => Answer | undefined | Promise<Answer | undefined>;

interface Answer {
  readonly status?: number;
  readonly body: unknown;
}

/**
 * Creates an HTTP service that responds as the test defines and records the requests. Fails for a request
 * with a repeated field.
 */
export async function startMockService(answer: ResponseHandler, port?: number) {
  const received: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    if (request.url === '/healthz') return void response.end('{"status":"ok"}');
    const body = await text(request);
    requireUniqueNames(body);
    const entry = {
      path: request.url ?? '',
      headers: request.headers,
      body: JSON.parse(body),
    };
    received.push(entry);
    const answered = await answer(entry, response);
    if (!answered) return;
    response.writeHead(answered.status ?? 200, {
      'content-type': 'application/json; charset=utf-8',
    });
    response.end(JSON.stringify(answered.body));
  });
  const host = await listen(server, port);
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  const env = {
    SVC_BASE_URL: `http://${host}`,
    SVC_API_KEY: 'key-1',
    SVC_AUTH_TOKEN: 'token-of-the-key-0001',
  };
  return { env, received, close };
}

/** Builds the success envelope. */
export const success = (data: unknown, beside: object = {}) => ({
  body: { result: { status: 'success', message: 'done', data, ...beside } },
});

/** Builds the failure envelope. */
export const failure = (httpStatus: number, status: string, message: string) => ({
  status: httpStatus,
  body: { error: { status, message } },
});
