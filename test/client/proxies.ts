import { createServer as createHttpServer, type IncomingMessage, request } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
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
}

/**
 * An HTTP proxy that tunnels `CONNECT` and forwards plain requests. Connects every host name to
 * this machine.
 */
export async function httpProxy({
  credentials,
  refuses,
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
  const server = createHttpServer((incoming, response) => {
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
  });
  server.on('connect', (incoming, socket: Socket) => {
    const status = refusal(incoming);
    if (status !== undefined) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    join(socket, Number(new URL(`http://${incoming.url}`).port), () =>
      socket.write('HTTP/1.1 200 OK\r\n\r\n'),
    );
  });
  return { host: await listen(server), asked, shown };
}

/** A SOCKS 5 proxy without authentication that accepts host names. */
export async function socksProxy(): Promise<RunningProxy> {
  const asked: string[] = [];
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.write(Buffer.from([5, 0]));
      socket.once('data', (wanted) => {
        const length = wanted[4] ?? 0;
        const name = wanted.subarray(5, 5 + length).toString();
        const port = wanted.readUInt16BE(5 + length);
        asked.push(`${name}:${port}`);
        join(socket, port, () => socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])));
      });
    });
  });
  return { host: await listen(server), asked, shown: [] };
}

/** Connects a socket to a port of this machine. */
function join(socket: Socket, port: number, ready: () => void): void {
  const onward = connect(port, '127.0.0.1', () => {
    ready();
    onward.pipe(socket).pipe(onward);
  });
  for (const end of [socket, onward])
    end.on('error', () => [socket, onward].map((each) => each.destroy()));
}
