import { once } from 'node:events';
import type { AgentOptions, ClientRequest } from 'node:http';
import { connect as connectTcp, type Socket } from 'node:net';
import { checkServerIdentity, connect as connectTls, createSecureContext } from 'node:tls';
import { Agent, type AgentConnectOpts } from 'agent-base';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { authorizationOf, type NetworkProxy } from './proxy.ts';
import { openSocksTunnel } from './socks.ts';
import { ABANDONED, ProxyRefusalError, type TrustedAuthorities } from './transport.ts';

interface TunnelOptions {
  readonly agentOptions: AgentOptions;
  /** Whether the requests use HTTPS. */
  readonly isSecure: boolean;
  /** Time limit for opening the tunnel, in milliseconds. */
  readonly connectTimeout: number;
  readonly tls?: TrustedAuthorities | undefined;
}

/**
 * Creates an agent whose connections are tunnels through a proxy. A request gets its `socket` once
 * the proxy has connected it to the service.
 */
export function createTunnelAgent(proxy: NetworkProxy, options: TunnelOptions): Agent {
  const { agentOptions, isSecure } = options;
  const agent =
    proxy.protocol === 'socks5:'
      ? new SocksAgent(proxy, options)
      : new ConnectAgent(proxy, options);
  // The base class would look for these in the call stack of each request.
  agent.protocol = isSecure ? 'https:' : 'http:';
  agent.defaultPort = isSecure ? 443 : 80;
  agent.options = { ...agent.options, timeout: agentOptions.timeout };
  return agent;
}

/** Sends CONNECT to an HTTP proxy. */
class ConnectAgent extends HttpsProxyAgent<string> {
  readonly #connectTimeout: number;

  constructor(proxy: NetworkProxy, { agentOptions, tls, connectTimeout }: TunnelOptions) {
    const authorization = authorizationOf(proxy);
    super(`${proxy.protocol}//${proxy.host}`, {
      ...agentOptions,
      // The library logs the address of the proxy, but not the headers.
      ...(authorization !== undefined && { headers: { 'Proxy-Authorization': authorization } }),
      ...(tls && { secureContext: createSecureContext({ ...tls }) }),
    });
    this.#connectTimeout = connectTimeout;
  }

  override connect(request: ClientRequest, options: AgentConnectOpts): Promise<Socket> {
    return withConnectLimit(this.#connectTimeout, request, (signal) => {
      this.connectOpts = { ...this.connectOpts, signal };
      return super.connect(request, withIdentityCheck(options));
    }).catch((error: unknown) => {
      throw wasClosed(error) ? new ProxyRefusalError('it closed the connection') : error;
    });
  }
}

/** Checks the certificate of an IP address, which the library would compare with `localhost`. */
function withIdentityCheck(options: AgentConnectOpts): AgentConnectOpts {
  const { host = '', secureEndpoint } = options;
  if (!secureEndpoint) return options;
  return {
    ...options,
    checkServerIdentity: (_, certificate) => checkServerIdentity(host, certificate),
  };
}

class SocksAgent extends Agent {
  readonly #proxy: NetworkProxy;
  readonly #connectTimeout: number;

  constructor(proxy: NetworkProxy, { agentOptions, connectTimeout }: TunnelOptions) {
    super(agentOptions);
    this.#proxy = proxy;
    this.#connectTimeout = connectTimeout;
  }

  override connect(request: ClientRequest, options: AgentConnectOpts): Promise<Socket> {
    return withConnectLimit(this.#connectTimeout, request, async (signal) => {
      const { hostname, port, credentials } = this.#proxy;
      const socket = connectTcp({ host: hostname, port, signal });
      await once(socket, 'connect');
      const destination = { host: options.host ?? '', port: Number(options.port) };
      await openSocksTunnel(socket, destination, credentials).catch((error: unknown) => {
        socket.destroy();
        signal.throwIfAborted();
        throw error instanceof ProxyRefusalError
          ? error
          : new ProxyRefusalError('it could not connect');
      });
      return options.secureEndpoint ? connectTls({ ...options, socket }) : socket;
    });
  }
}

/** Whether the proxy closed the connection without a response. */
function wasClosed(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Proxy connection ended');
}

/** Closes a connection to the proxy that does not become a tunnel in time. */
async function withConnectLimit(
  milliseconds: number,
  request: ClientRequest,
  connect: (signal: AbortSignal) => Promise<Socket>,
): Promise<Socket> {
  const controller = new AbortController();
  const stop = () => controller.abort();
  const expire = () => controller.abort(Object.assign(new Error(), { code: 'ETIMEDOUT' }));
  const timer = setTimeout(expire, milliseconds);
  request.once(ABANDONED, stop);
  try {
    return await connect(controller.signal);
  } finally {
    clearTimeout(timer);
    request.off(ABANDONED, stop);
  }
}
