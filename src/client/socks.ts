import { once } from 'node:events';
import { isIP, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { NetworkProxy } from './proxy.ts';
import { ProxyRefusalError } from './transport.ts';

const [VERSION, AUTHENTICATION_VERSION] = [5, 1];
const [NO_AUTHENTICATION, BY_PASSWORD, NO_METHOD] = [0, 2, 0xff];
const CONNECT = 1;
const RESERVED = 0;
const SUCCESS = 0;
const NOT_ALLOWED = 2;
const [IPV4, NAME, IPV6] = [1, 3, 4];

/**
 * Asks a SOCKS 5 proxy to connect a socket to a host, as in RFC 1928. The proxy resolves names.
 * @throws ProxyRefusalError if the proxy refuses; the error of the socket if it breaks
 */
export async function openSocksTunnel(
  socket: Socket,
  { host, port }: { readonly host: string; readonly port: number },
  credentials: NetworkProxy['credentials'],
): Promise<void> {
  const replies = new Replies(socket);
  const methods = credentials ? [NO_AUTHENTICATION, BY_PASSWORD] : [NO_AUTHENTICATION];
  socket.write(Buffer.from([VERSION, methods.length, ...methods]));
  const [version, method] = await replies.take(2);
  requireVersion(version);
  if (method === NO_METHOD)
    throw new ProxyRefusalError(
      credentials ? 'it accepts no user name and password' : 'it requires credentials',
    );
  if (method === BY_PASSWORD && credentials) await authenticate(socket, replies, credentials);
  else if (method !== NO_AUTHENTICATION) throw new ProxyRefusalError('it is not a SOCKS 5 proxy');
  const target = [...addressOf(host), port >> 8, port & 0xff];
  socket.write(Buffer.from([VERSION, CONNECT, RESERVED, ...target]));
  const [replyVersion, reply, , kind] = await replies.take(4);
  requireVersion(replyVersion);
  if (reply === NOT_ALLOWED) throw new ProxyRefusalError('it does not allow the connection');
  if (reply !== SUCCESS) throw new ProxyRefusalError('it could not connect');
  // Skips the address from which the proxy connects.
  const length = kind === IPV4 ? 4 : kind === IPV6 ? 16 : Number((await replies.take(1))[0]);
  await replies.take(length + 2);
  replies.end();
}

/** Logs in with a user name and a password, each of at most 255 bytes, as in RFC 1929. */
async function authenticate(
  socket: Socket,
  replies: Replies,
  { user, password }: NonNullable<NetworkProxy['credentials']>,
): Promise<void> {
  const texts = [user, password].flatMap((text) => withLength(Buffer.from(text)));
  socket.write(Buffer.from([AUTHENTICATION_VERSION, ...texts]));
  const [, status] = await replies.take(2);
  if (status !== SUCCESS) throw new ProxyRefusalError('it rejected the credentials');
}

function requireVersion(version: number | undefined): void {
  if (version !== VERSION) throw new ProxyRefusalError('it is not a SOCKS 5 proxy');
}

function addressOf(host: string): readonly number[] {
  if (isIP(host) === 0) return [NAME, ...withLength(Buffer.from(host))];
  return [isIP(host) === 4 ? IPV4 : IPV6, ...ipaddr.parse(host).toByteArray()];
}

function withLength(bytes: Uint8Array): readonly number[] {
  return [bytes.length, ...bytes];
}

/** The bytes that a proxy sends before the tunnel is open. */
class Replies {
  readonly #socket: Socket;
  #bytes = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** @throws ProxyRefusalError if the proxy closes the connection first */
  async take(size: number): Promise<Uint8Array> {
    while (this.#bytes.length < size) await this.#readMore();
    const taken = this.#bytes.subarray(0, size);
    this.#bytes = this.#bytes.subarray(size);
    return taken;
  }

  /** Returns bytes after the replies to the socket, because they belong to the tunnel. */
  end(): void {
    if (this.#bytes.length > 0) this.#socket.unshift(this.#bytes);
  }

  async #readMore(): Promise<void> {
    const socket = this.#socket;
    const chunk: Buffer | null = socket.read();
    if (chunk) {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      return;
    }
    if (socket.readableEnded || socket.destroyed)
      throw new ProxyRefusalError('it closed the connection');
    const waiting = new AbortController();
    const { signal } = waiting;
    await Promise.race([once(socket, 'readable', { signal }), once(socket, 'close', { signal })]);
    waiting.abort();
  }
}
