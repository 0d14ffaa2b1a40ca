import { once } from 'node:events';
import { connect as connectPlain } from 'node:net';
import { connect as connectSecure, type TLSSocket } from 'node:tls';
import type { ClientCertificate } from '../../client/client-certificate.ts';
import { createNetworkFailure } from '../../client/network-failure.ts';
import { NotConnectedError } from '../../client/transport.ts';
import { withDefaultAuthorities } from '../../kernel/certificate-authorities.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { type CheckResult, fail, ok, warn } from './check.ts';

interface ConnectTarget {
  readonly host: string;
  readonly port: number;
  readonly signal: AbortSignal;
}

interface TlsTarget extends ConnectTarget {
  readonly authorities: string | undefined;
  readonly clientCertificate: ClientCertificate | undefined;
}

export async function tryPlainConnection({ host, port, signal }: ConnectTarget): Promise<void> {
  const socket = connectPlain({ host, port, signal });
  try {
    await once(socket, 'connect', { signal });
  } finally {
    socket.destroy();
  }
}

const RENEWAL_DAYS = 14;
const DAY = 24 * 60 * 60 * 1_000;

/**
 * Accepts invalid certificates to describe their problem. Sends no data. Rejects with the system's
 * error.
 */
export async function tryTlsConnection(
  { host, port, signal, authorities, clientCertificate }: TlsTarget,
  now: number,
): Promise<CheckResult> {
  const socket = connectSecure({
    host,
    port,
    servername: /^[\d.]+$|:/.test(host) ? '' : host,
    rejectUnauthorized: false,
    ...clientCertificate,
    ...(authorities !== undefined && { ca: withDefaultAuthorities(authorities) }),
  });
  try {
    await once(socket, 'secureConnect', { signal });
    return checkCertificate(socket, `${host}:${port}`, now);
  } finally {
    socket.destroy();
  }
}

function checkCertificate(socket: TLSSocket, host: string, now: number): CheckResult {
  const certificate = socket.getPeerCertificate();
  const { subjectaltname = 'no name', issuer, valid_to: end } = certificate;
  const issuerName = issuer?.O ?? issuer?.CN ?? 'an unknown issuer';
  if (!socket.authorized) {
    const code = String(Object(socket.authorizationError).code ?? socket.authorizationError);
    const cause = Object.assign(new Error(code), { code });
    const { message, hint } = createNetworkFailure(
      new NotConnectedError('service', cause, certificate),
      host,
    ).error;
    return fail('unreachable', `${message} (issued by ${issuerName} for ${subjectaltname})`, hint);
  }
  const days = Math.floor((Date.parse(end) - now) / DAY);
  const detail = `${socket.getProtocol()}, certificate issued by ${issuerName}, expires in ${formatNounCount(days, 'day')}`;
  return days < RENEWAL_DAYS ? warn(detail, 'renew the certificate before it expires') : ok(detail);
}
