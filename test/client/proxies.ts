import {
  createServer as createHttpServer,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { SecureContextOptions } from 'node:tls';
import { listen } from '../listen.ts';

/** A test proxy that records its requests. */
export interface RunningProxy {
  readonly host: string;
  /** `CONNECT host:port`, or `POST http://host:port/path` for forwarded requests. */
  readonly asked: string[];
  /** Every `Proxy-Authorization` header received. */
  readonly shown: (string | undefined)[];
}

interface HttpProxyOptions {
  /** Required credentials, as `user:password`. */
  readonly credentials?: string;
  /** Rejects with this HTTP status instead of connecting. */
  readonly refuses?: number;
  /** The certificate of a proxy over TLS. */
  readonly secure?: SecureContextOptions;
}

/**
 * An HTTP proxy that tunnels `CONNECT` and forwards plain requests. Connects every host name to
 * this machine.
 */
export async function httpProxy({
  credentials,
  refuses,
  secure,
}: HttpProxyOptions = {}): Promise<RunningProxy> {
  const asked: string[] = [];
  const shown: (string | undefined)[] = [];
  const refusal = (incoming: IncomingMessage): number | undefined => {
    asked.push(`${incoming.method} ${incoming.url}`);
    shown.push(incoming.headers['proxy-authorization']);
    const expected = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
    if (expected && incoming.headers['proxy-authorization'] !== expected) return 407;
    return refuses;
  };
  const forward = (incoming: IncomingMessage, response: ServerResponse) => {
    const status = refusal(incoming);
    if (status !== undefined) return void response.writeHead(status).end();
    const { 'proxy-authorization': _, ...headers } = incoming.headers;
    const { port, pathname } = new URL(incoming.url ?? '');
    const onward = { port, path: pathname, method: incoming.method ?? '', headers };
    const forwarded = request({ host: '127.0.0.1', ...onward }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(forwarded);
  };
  const server = secure ? createHttpsServer(secure, forward) : createHttpServer(forward);
  server.on('connect', (incoming, socket: Socket) => {
    const status = refusal(incoming);
    if (status !== undefined) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    join(socket, Number(new URL(`http://${incoming.url}`).port), () =>
      socket.write('HTTP/1.1 200 OK\r\n\r\n'),
    );
  });
  return { host: await listen(server), asked, shown };
}

interface SocksProxyOptions {
  /** Required credentials, as `user:password`. */
  readonly credentials?: string;
  /** The code of RFC 1928 with which the proxy rejects a connection. */
  readonly refuses?: number;
  /** The bytes after which the proxy hangs up, in place of a greeting. */
  readonly greets?: string;
}

const [NO_AUTHENTICATION, PASSWORD, NONE_ACCEPTABLE] = [0, 2, 0xff];

const [IPV4, IPV6] = [1, 4];

/** A SOCKS 5 proxy, whose replies arrive in parts. */
export async function socksProxy({
  credentials,
  refuses,
  greets,
}: SocksProxyOptions = {}): Promise<RunningProxy> {
  const asked: string[] = [];
  const shown: string[] = [];
  const read = (socket: Socket) =>
    new Promise<Buffer>((resolve) => socket.once('data', (bytes) => resolve(bytes)));
  const serve = async (socket: Socket) => {
    const [, , ...offered] = await read(socket);
    if (greets !== undefined) return void socket.end(greets);
    const method = credentials === undefined ? NO_AUTHENTICATION : PASSWORD;
    if (!offered.includes(method)) return void socket.end(Buffer.of(5, NONE_ACCEPTABLE));
    socket.write(Buffer.of(5, method));
    if (method === PASSWORD) {
      const given = await read(socket);
      const user = given.subarray(2, 2 + (given[1] ?? 0)).toString();
      const password = given.subarray(3 + user.length).toString();
      shown.push(`${user}:${password}`);
      if (`${user}:${password}` !== credentials) return void socket.end(Buffer.of(1, 1));
      socket.write(Buffer.of(1, 0));
    }
    const wanted = await read(socket);
    const address = wanted.subarray(4, -2);
    const name =
      wanted[3] === IPV4
        ? address.join('.')
        : wanted[3] === IPV6
          ? `[${address.toString('hex')}]`
          : address.subarray(1).toString();
    const port = wanted.readUInt16BE(wanted.length - 2);
    asked.push(`${name}:${port}`);
    const reply = async (code: number) => {
      for (const byte of [5, code, 0, IPV4, 0, 0, 0, 0, 0, 0]) {
        socket.write(Buffer.of(byte));
        await setImmediate();
      }
    };
    if (refuses !== undefined) return void (await reply(refuses));
    return join(socket, port, () => reply(0));
  };
  const server = createServer((socket) => void serve(socket));
  return { host: await listen(server), asked, shown };
}

/** Connects a socket to a port of this machine. */
function join(socket: Socket, port: number, ready: () => unknown): void {
  const onward = connect(port, '127.0.0.1', async () => {
    await ready();
    onward.pipe(socket).pipe(onward);
  });
  for (const end of [socket, onward])
    end.on('error', () => [socket, onward].map((each) => each.destroy()));
}
