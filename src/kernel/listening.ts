import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SvcError, systemErrorCode } from './errors.ts';

export interface ListenAddress {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
}

/**
 * Resolves with the server's URL once it listens.
 * @throws SvcError `local` if the address is not available
 */
export function listen(server: Server, { host, port }: ListenAddress): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(createListenError(error, host, port)));
    server.listen(port, host, () => resolve(formatServerUrl(server.address() as AddressInfo)));
  });
}

function createListenError(error: Error, host: string, port: number): SvcError {
  const code = systemErrorCode(error);
  if (code === 'EADDRINUSE')
    return new SvcError('local', `port ${port} on ${host} is already in use`, {
      hint: 'use --port 0 to select a free port',
    });
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new SvcError('local', `${host} is not an address of this machine`, {
      hint: 'use 127.0.0.1 to accept connections from this machine only, or 0.0.0.0 to accept them from any machine',
    });
  }
  return new SvcError(
    'local',
    `cannot listen on port ${port} on ${host}: ${code ?? error.message}`,
    { cause: error },
  );
}

function formatServerUrl({ address, family, port }: AddressInfo): string {
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (address === '::') return `http://[::1]:${port}`;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/**
 * Stops accepting connections, waits up to `timeout` milliseconds for requests in flight, then
 * resolves.
 */
export function closeServer(server: Server, timeout: number): Promise<void> {
  return new Promise((resolve) => {
    const forceClose = setTimeout(() => server.closeAllConnections(), timeout);
    // A connection becomes idle only after its response has emitted its last event.
    server.on('request', (_: IncomingMessage, response) =>
      response.setHeader('connection', 'close'),
    );
    const sweep = setInterval(() => server.closeIdleConnections(), 20);
    server.close(() => {
      clearTimeout(forceClose);
      clearInterval(sweep);
      resolve();
    });
  });
}
