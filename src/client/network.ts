import type { Dispatcher } from 'undici';
import type { Environment } from '../kernel/folders.ts';
import { muteWarnings } from '../kernel/io.ts';
import { type NetworkProxy, proxyFor } from './proxy.ts';

/** Milliseconds to open a connection, TLS included. Node's own fetch has the same limit. */
const CONNECT_TIMEOUT = 10_000;

/** Milliseconds after which Node's own fetch gives up on headers or a pause in the body, whatever it is told. */
const LIMIT_OF_NODE = 300_000;

export interface NetworkOptions {
  readonly baseUrl: string;
  readonly environment: Environment;
  /** Certificates in PEM form, trusted besides the authorities that Node knows. */
  readonly authorities?: string;
  /** Milliseconds one attempt may take. */
  readonly attemptTimeout: number;
}

/** Authorities in PEM form. */
export interface Trust {
  readonly ca: string[];
}

/** The way to the service. */
export interface Network {
  readonly fetch: typeof globalThis.fetch;
  readonly proxy?: NetworkProxy;
  /** Whom other connections have to trust as well, where it is not only whom Node trusts. */
  readonly tls?: Trust;
  /** Gives connections back that are kept open for further calls. */
  close(): Promise<void>;
}

/**
 * Node's own fetch, or one that takes a proxy, further authorities or a longer time, where they are asked for: only then
 * is its library loaded.
 * @throws SvcError `usage` when the environment's proxy is not usable
 */
export async function openNetwork(options: NetworkOptions): Promise<Network> {
  const { baseUrl, environment, authorities, attemptTimeout } = options;
  const url = URL.parse(baseUrl);
  const proxy = url ? await proxyFor(url, environment) : undefined;
  if (!proxy && authorities === undefined && attemptTimeout <= LIMIT_OF_NODE) {
    return { fetch: globalThis.fetch, close: async () => undefined };
  }
  const tls = authorities === undefined ? undefined : await trustIn(authorities);
  const dispatcher = await openDispatcher(tls, proxy);
  return {
    fetch: await fetchThrough(dispatcher),
    ...(proxy && { proxy }),
    ...(tls && { tls }),
    close: () => dispatcher.destroy(),
  };
}

async function openDispatcher(tls: Trust | undefined, proxy: NetworkProxy | undefined): Promise<Dispatcher> {
  const { Agent, ProxyAgent } = await loadLibrary();
  // An attempt is limited as a whole by who makes it.
  const limits = { headersTimeout: 0, bodyTimeout: 0, allowH2: false };
  if (!proxy) return new Agent({ ...limits, connect: { timeout: CONNECT_TIMEOUT, ...tls } });
  const { href: uri, protocol } = proxy.address;
  if (protocol === 'socks5:') muteWarnings((text) => text.startsWith('SOCKS5'));
  return new ProxyAgent({
    ...limits,
    uri,
    connectTimeout: CONNECT_TIMEOUT,
    requestTls: { ...tls },
    ...(protocol === 'https:' && { proxyTls: { ...tls } }),
  });
}

/** Its default export, since the bundle gives what is CommonJS no other. */
async function loadLibrary() {
  return (await import('undici')).default;
}

async function trustIn(authorities: string): Promise<Trust> {
  const { getCACertificates } = await import('node:tls');
  return { ca: [...getCACertificates(), authorities] };
}

/** The library's fetch knows neither requests nor replies of Node's own, so that only what they are made of passes. */
async function fetchThrough(dispatcher: Dispatcher): Promise<typeof globalThis.fetch> {
  const { fetch } = await loadLibrary();
  return async (input, init) => {
    const request = new Request(input, init);
    const { url, method, headers, redirect, signal } = request;
    const body = request.body && (await request.text());
    const response = await fetch(url, { method, headers: [...headers], redirect, signal, body, dispatcher });
    return new Response(response.body, response);
  };
}
