import { once } from 'node:events';
import { connect as connectPlain } from 'node:net';
import { connect as connectSecure, type TLSSocket } from 'node:tls';
import { networkFailure } from '../../client/network-failure.ts';
import { withKnownAuthorities } from '../../kernel/certificate-authorities.ts';
import { amount } from '../../kernel/plural.ts';
import { fail, ok, type Verdict, warn } from './check.ts';

interface Place {
  readonly host: string;
  readonly port: number;
  readonly signal: AbortSignal;
}

/** Opens a connection and closes it again. Rejects with the system's error. */
export async function openPlain({ host, port, signal }: Place): Promise<void> {
  const socket = connectPlain({ host, port, signal });
  try {
    await once(socket, 'connect', { signal });
  } finally {
    socket.destroy();
  }
}

/** Days before its end at which a certificate should be renewed. */
const SOON = 14;
const DAY = 24 * 60 * 60 * 1_000;

/**
 * Opens a connection with TLS and tells of its certificate. One that does not hold is looked at as well, to say what is
 * wrong with it; nothing is sent over the connection. Rejects with the system's error.
 */
export async function openSecure(
  { host, port, signal, authorities }: Place & { readonly authorities: string | undefined },
  now: number,
): Promise<Verdict> {
  const socket = connectSecure({
    host,
    port,
    servername: /^[\d.]+$|:/.test(host) ? '' : host,
    rejectUnauthorized: false,
    ...(authorities !== undefined && { ca: await withKnownAuthorities(authorities) }),
  });
  try {
    await once(socket, 'secureConnect', { signal });
    return certificateVerdict(socket, `${host}:${port}`, now);
  } finally {
    socket.destroy();
  }
}

function certificateVerdict(socket: TLSSocket, host: string, now: number): Verdict {
  const { subjectaltname = 'no name', issuer, valid_to: end } = socket.getPeerCertificate();
  const by = issuer?.O ?? issuer?.CN ?? 'nobody';
  if (!socket.authorized) {
    const code = codeOf(socket.authorizationError);
    const { message, hint } = networkFailure(Object.assign(new Error(code), { code }), host).error;
    return fail('unreachable', `${message} (issued by ${by} for ${subjectaltname}, until ${end})`, hint);
  }
  const days = Math.floor((Date.parse(end) - now) / DAY);
  const detail = `${socket.getProtocol()}, certificate issued by ${by}, which ends in ${amount(days, 'day')}`;
  return days < SOON ? warn(detail, 'have the certificate renewed before it ends') : ok(detail);
}

/** Node hands the code, or the error that has it. */
function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : String(error);
}
