import { Agent, type IncomingMessage, request } from 'node:http';
import type { SecureContextOptions } from 'node:tls';
import type { WireRequest } from './request.ts';
import { ACCEPTED_ENCODINGS, ResponseBody } from './response-body.ts';
import { withTimeLimit } from './time-limit.ts';
import {
  type ClosableTransport,
  CONNECT_TIMEOUT,
  NotConnectedError,
  readResponseHead,
  type TransportOptions,
  type WireResponse,
} from './transport.ts';

/** Time in milliseconds that an idle connection stays open, unless the service specifies less. */
const IDLE_TIMEOUT = 4_000;
const ENCODING_HEADERS = { 'accept-encoding': ACCEPTED_ENCODINGS.join(', ') };

/**
 * Creates a transport for a few calls over Node's own HTTP client, which starts much faster than
 * `fetch`.
 */
export function createHttpTransport(options: HttpOptions): ClosableTransport {
  const { attemptTimeout, tls, clientCertificate, connectTimeout = CONNECT_TIMEOUT } = options;
  let agent: Promise<Agent> | undefined;

  async function send(wireRequest: WireRequest, signal: AbortSignal): Promise<WireResponse> {
    agent ??= createAgent(wireRequest.url, { ...tls, ...clientCertificate });
    return readResponse(await sendRequest(wireRequest, await agent, connectTimeout, signal));
  }

  return {
    transport: (wireRequest, signal) =>
      withTimeLimit(attemptTimeout, signal, (limited) => send(wireRequest, limited)),
    close: async () => (await agent)?.destroy(),
  };
}

interface HttpOptions extends TransportOptions {
  /** Time limit for opening a connection, TLS included, in milliseconds. */
  readonly connectTimeout?: number;
}

async function createAgent(url: string, tls: SecureContextOptions): Promise<Agent> {
  const agentOptions = { keepAlive: true, timeout: IDLE_TIMEOUT };
  if (!url.startsWith('https:')) return new Agent(agentOptions);
  const https = await import('node:https');
  // With ALPN, a server without HTTP/1.1 rejects the connection before anything is sent.
  return new https.Agent({ ...agentOptions, ...tls, ALPNProtocols: ['http/1.1'] });
}

function sendRequest(
  wireRequest: WireRequest,
  agent: Agent,
  connectTimeout: number,
  signal: AbortSignal,
) {
  const { url, headers, credentials, body } = wireRequest;
  return new Promise<IncomingMessage>((resolve, reject) => {
    let isOpen = false;
    const outgoing = request(url, {
      method: 'POST',
      headers: { ...headers, ...credentials, ...ENCODING_HEADERS },
      agent,
      signal,
    });
    outgoing
      .on('socket', (socket) => {
        isOpen = outgoing.reusedSocket;
        if (isOpen) return;
        const expire = () => socket.destroy(Object.assign(new Error(), { code: 'ETIMEDOUT' }));
        const timer = setTimeout(expire, connectTimeout);
        socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
          isOpen = true;
          clearTimeout(timer);
        });
        socket.once('close', () => clearTimeout(timer));
      })
      .on('response', resolve)
      // Without this handler, a connection upgrade would block until the attempt times out.
      .on('upgrade', (_, socket) => {
        socket.destroy();
        reject(
          Object.assign(new Error('the service switched to another protocol'), {
            code: 'ECONNRESET',
          }),
        );
      })
      .on('error', (error) => reject(isOpen ? error : new NotConnectedError(error)))
      .end(body);
  });
}

async function readResponse(incoming: IncomingMessage): Promise<WireResponse> {
  const { statusCode = 0, headers } = incoming;
  const body = new ResponseBody(headers['content-encoding']);
  await body.read(incoming);
  return { ...readResponseHead(statusCode, (name) => headers[name]), body: await body.text() };
}
