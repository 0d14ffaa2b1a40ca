import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SvcError, systemErrorCode } from './errors.ts';

export interface Address {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

/**
 * Lets a server listen, and resolves with its URL once it does.
 * @throws SvcError `local` when the address cannot be had
 */
export function listen(server: Server, { host, port }: Address): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, host, port)));
    server.listen(port, host, () => resolve(urlOf(server.address() as AddressInfo)));
  });
}

function listenError(error: Error, host: string, port: number): SvcError {
  const code = systemErrorCode(error);
  if (code === 'EADDRINUSE') {
    return new SvcError('local', `port ${port} of ${host} is in use`, { hint: '--port 0 takes a free one' });
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new SvcError('local', `${host} is no address of this machine`, {
      hint: '127.0.0.1 is reached from this machine only, 0.0.0.0 from everywhere',
    });
  }
  return new SvcError('local', `cannot listen on port ${port} of ${host}: ${code ?? error.message}`, { cause: error });
}

function urlOf({ address, family, port }: AddressInfo): string {
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (address === '::') return `http://[::1]:${port}`;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** Takes no new connection, finishes what is in flight for at most `patience` milliseconds, then resolves. */
export function closeServer(server: Server, patience: number): Promise<void> {
  return new Promise((resolve) => {
    const giveUp = setTimeout(() => server.closeAllConnections(), patience);
    // A connection whose answer is out becomes idle only after the answer's own event.
    server.on('request', (_: IncomingMessage, response) => response.setHeader('connection', 'close'));
    const sweep = setInterval(() => server.closeIdleConnections(), 20);
    server.close(() => {
      clearTimeout(giveUp);
      clearInterval(sweep);
      resolve();
    });
  });
}
