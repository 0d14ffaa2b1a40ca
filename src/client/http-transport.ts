import {
  Agent,
  type AgentOptions,
  type IncomingMessage,
  type RequestOptions,
  request,
} from 'node:http';
import type { Socket } from 'node:net';
import { createSecureContext, type TLSSocket } from 'node:tls';
import { authorizationOf, type NetworkProxy } from './proxy.ts';
import type { WireRequest } from './request.ts';
import { ACCEPTED_ENCODINGS, ResponseBody } from './response-body.ts';
import { AttemptTimeoutError, limitTime } from './time-limit.ts';
import {
  ABANDONED,
  type CertificateDates,
  type ClosableTransport,
  CONNECT_TIMEOUT,
  type ConnectionPart,
  NotConnectedError,
  ProxyRefusalError,
  readResponseHead,
  type TransportOptions,
  type WireResponse,
} from './transport.ts';

/** Further requests wait for a free connection. */
const MAX_CONNECTIONS = 32;
/** Time in milliseconds that an idle connection stays open, unless the service specifies less. */
const IDLE_TIMEOUT = 4_000;
const AGENT_OPTIONS = {
  keepAlive: true,
  maxSockets: MAX_CONNECTIONS,
  timeout: IDLE_TIMEOUT,
} satisfies AgentOptions;
const ENCODING_HEADERS = { 'accept-encoding': ACCEPTED_ENCODINGS.join(', ') };
const PROXY_CREDENTIALS_REQUIRED = 407;

export interface HttpOptions extends TransportOptions {
  readonly proxy?: NetworkProxy | undefined;
  /** Time limit for opening a connection, TLS included, in milliseconds. */
  readonly connectTimeout?: number;
}

/** How requests reach an origin. */
interface Route {
  readonly agent: Agent;
  /** The peer of a new connection: the proxy or the service. A tunnel reaches the service later. */
  readonly firstPart: ConnectionPart;
  readonly options: RequestOptions;
  readonly headers: Readonly<Record<string, string>>;
  /** Number of characters of a URL before the part that the request names. */
  readonly prefixLength: number;
  /** Connected sockets. A request does not always know whether its socket was used before. */
  readonly openSockets: WeakSet<Socket>;
}

/**
 * Creates a transport to one origin over persistent connections. Uses Node's own HTTP client, which
 * starts much faster than `fetch`.
 */
export function createHttpTransport(options: HttpOptions): ClosableTransport {
  const { attemptTimeout, connectTimeout = CONNECT_TIMEOUT } = options;
  let opened: Promise<Route> | undefined;
  return {
    transport: async (wireRequest, signal) => {
      opened ??= openRoute(new URL(wireRequest.url), { ...options, connectTimeout });
      const route = await opened;
      signal?.throwIfAborted();
      return sendRequest(wireRequest, route, { attemptTimeout, connectTimeout, signal });
    },
    close: async () => (await opened)?.agent.destroy(),
  };
}

async function openRoute(url: URL, options: RouteOptions): Promise<Route> {
  const { proxy } = options;
  const isSecure = url.protocol === 'https:';
  if (!proxy) return openDirectRoute(url, options);
  if (proxy.protocol !== 'socks5:' && !isSecure) return openForwardedRoute(url, proxy, options);
  const { createTunnelAgent } = await import('./tunnel-agent.ts');
  const agent = createTunnelAgent(proxy, { ...options, agentOptions: AGENT_OPTIONS, isSecure });
  return {
    ...routeTo(url, agent),
    firstPart: 'proxy',
    options: { ...addressOf(url), ...(isSecure && createTlsOptions(options)) },
  };
}

type RouteOptions = HttpOptions & { readonly connectTimeout: number };

async function openDirectRoute(url: URL, options: RouteOptions): Promise<Route> {
  return {
    ...routeTo(url, await createAgent(url.protocol, options)),
    firstPart: 'service',
    options: addressOf(url),
  };
}

/** Requests over plain HTTP name the whole URL, and the proxy sends them to the service. */
async function openForwardedRoute(
  url: URL,
  proxy: NetworkProxy,
  { tls }: RouteOptions,
): Promise<Route> {
  const authorization = authorizationOf(proxy);
  return {
    agent: await createAgent(proxy.protocol, { tls }),
    firstPart: 'proxy',
    options: { protocol: proxy.protocol, host: proxy.hostname, port: proxy.port },
    headers: {
      host: url.host,
      ...(authorization !== undefined && { 'proxy-authorization': authorization }),
    },
    prefixLength: 0,
    openSockets: new WeakSet(),
  };
}

function routeTo(url: URL, agent: Agent) {
  return {
    agent,
    headers: {},
    prefixLength: url.origin.length,
    openSockets: new WeakSet<Socket>(),
  };
}

function addressOf({ protocol, hostname, port }: URL): RequestOptions {
  return { protocol, host: hostname.replace(/^\[(.*)\]$/, '$1'), ...(port && { port }) };
}

async function createAgent(
  protocol: string,
  certificates: Pick<TransportOptions, 'tls' | 'clientCertificate'>,
): Promise<Agent> {
  if (protocol !== 'https:') return new Agent(AGENT_OPTIONS);
  const { Agent: SecureAgent } = await import('node:https');
  return new SecureAgent({ ...AGENT_OPTIONS, ...createTlsOptions(certificates) });
}

function createTlsOptions({
  tls,
  clientCertificate,
}: Pick<TransportOptions, 'tls' | 'clientCertificate'>) {
  // With ALPN, a server without HTTP/1.1 rejects the connection before anything is sent.
  const options = { ALPNProtocols: ['http/1.1'] };
  if (!tls && !clientCertificate) return options;
  // Certificates in the options would be compared for each request.
  const secureContext = createSecureContext({ ...tls, ...clientCertificate });
  return { ...options, secureContext };
}

interface AttemptLimits extends Required<Pick<HttpOptions, 'attemptTimeout' | 'connectTimeout'>> {
  readonly signal: AbortSignal | undefined;
}

/** Sends one request. Listens to events: promises and async iterators would take longer. */
function sendRequest(
  { url, headers, credentials, body, expectedIds }: WireRequest,
  route: Route,
  { attemptTimeout, connectTimeout, signal }: AttemptLimits,
): Promise<WireResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<WireResponse>();
  const isForwarded = route.firstPart === 'proxy' && route.prefixLength === 0;
  let connecting: ConnectionPart | undefined = route.firstPart;
  let certificate: CertificateDates | undefined;
  const outgoing = request({
    ...route.options,
    path: url.slice(route.prefixLength),
    method: 'POST',
    headers: {
      ...headers,
      ...credentials,
      // The responses to batches are too small for compression to pay off.
      ...(expectedIds === undefined && ENCODING_HEADERS),
      ...route.headers,
    },
    agent: route.agent,
  });
  const endLimit = limitTime(attemptTimeout, signal, (reason) => {
    const isTimeout = reason instanceof AttemptTimeoutError;
    fail(connecting && isTimeout ? new NotConnectedError(connecting, reason) : reason);
    outgoing.emit(ABANDONED);
    outgoing.destroy();
  });
  const succeed = (response: WireResponse) => {
    endLimit();
    resolve(response);
  };
  const fail = (reason: unknown) => {
    endLimit();
    reject(reason);
  };
  const failAtProxy = (httpStatus: number) => {
    fail(new NotConnectedError('proxy', createProxyRefusal(httpStatus)));
    outgoing.destroy();
  };
  outgoing
    .on('socket', (socket) => {
      if (route.openSockets.has(socket) || isOpen(socket)) {
        connecting = undefined;
        return;
      }
      if (!isForwarded) connecting = 'service';
      // Before the check of the certificate: a socket that failed it no longer has the certificate.
      socket.prependOnceListener('secure', () => {
        if (isSecure(socket)) certificate = socket.getPeerCertificate();
      });
      limitConnecting(socket, connectTimeout, () => {
        connecting = undefined;
        route.openSockets.add(socket);
      });
    })
    .on('proxyConnect', ({ statusCode }: { readonly statusCode: number }) => {
      if (statusCode !== 200) failAtProxy(statusCode);
    })
    .on('response', (incoming) => {
      if (isForwarded && incoming.statusCode === PROXY_CREDENTIALS_REQUIRED)
        failAtProxy(PROXY_CREDENTIALS_REQUIRED);
      else readResponse(incoming, succeed, fail);
    })
    // Without this handler, a connection upgrade would block until the attempt times out.
    .on('upgrade', (_, socket) => {
      socket.destroy();
      fail(
        Object.assign(new Error('the service switched to another protocol'), {
          code: 'ECONNRESET',
        }),
      );
    })
    .on('error', (error) =>
      fail(connecting ? new NotConnectedError(connecting, error, certificate) : error),
    )
    .end(body);
  return promise;
}

function readResponse(
  incoming: IncomingMessage,
  succeed: (response: WireResponse) => void,
  fail: (reason: unknown) => void,
): void {
  const { statusCode = 0, headers } = incoming;
  const body = new ResponseBody(headers['content-encoding']);
  const end = () =>
    void body
      .text()
      .then(
        (text) => succeed({ ...readResponseHead(statusCode, (name) => headers[name]), body: text }),
        fail,
      );
  incoming
    .on('data', (chunk: Buffer) => {
      if (body.add(chunk)) return;
      end();
      incoming.destroy();
    })
    .on('end', end)
    .on('error', fail);
}

function createProxyRefusal(httpStatus: number): ProxyRefusalError {
  return new ProxyRefusalError(
    Number.isInteger(httpStatus)
      ? `it responded with HTTP ${httpStatus}`
      : 'its response is not HTTP',
  );
}

/** Whether a socket that is new to a request is connected: the tunnel of a request without TLS. */
function isOpen(socket: Socket): boolean {
  return !isSecure(socket) && !socket.connecting;
}

function isSecure(socket: Socket): socket is TLSSocket {
  return 'encrypted' in socket;
}

function limitConnecting(socket: Socket, connectTimeout: number, onOpen: () => void): void {
  const expire = () => socket.destroy(Object.assign(new Error(), { code: 'ETIMEDOUT' }));
  const timer = setTimeout(expire, connectTimeout);
  socket.once(isSecure(socket) ? 'secureConnect' : 'connect', () => {
    onOpen();
    clearTimeout(timer);
  });
  socket.once('close', () => clearTimeout(timer));
}
