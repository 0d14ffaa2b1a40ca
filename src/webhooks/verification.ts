import { isSameSecret } from '../kernel/same-secret.ts';
import { SIGNATURE_HEADERS } from './form.ts';
import { type Headers, headerValuesOf } from './headers.ts';
import { type ReceivedDelivery, reject, type Verification, verifySignature } from './signature.ts';

export interface VerificationSecrets {
  readonly secrets: readonly string[];
  readonly authToken?: string | undefined;
}

/** Verifies the origin of a delivery of either form. `now` is in milliseconds. */
export function verifyDelivery(proofs: VerificationSecrets, delivery: ReceivedDelivery, now: number): Verification {
  const { secrets, authToken } = proofs;
  const isSigned = hasSignatureHeaders(delivery.headers);
  if (isSigned && secrets.length > 0) return verifySignature(secrets, delivery, now);
  if (authToken !== undefined) return verifyToken(authToken, delivery);
  return reject(isSigned ? 'the delivery is signed, but no secret was given' : 'the delivery is not signed');
}

function verifyToken(authToken: string, { headers }: ReceivedDelivery): Verification {
  const [value, ...others] = headerValuesOf(headers, 'authorization');
  if (value === undefined) return reject('the header authorization is missing');
  if (others.length > 0) return reject(`the header authorization appears ${others.length + 1} times`);
  const token = /^basic (.*)$/is.exec(value)?.[1];
  if (token === undefined) return reject('the header authorization does not use the Basic scheme');
  // Node.js decodes header values as Latin-1.
  if (!isSameSecret(token, authToken, 'latin1')) return reject('the token does not match');
  return { verified: true, form: 'basic' };
}

export function hasSignatureHeaders(headers: Headers): boolean {
  return Object.values(SIGNATURE_HEADERS).some((name) => headerValuesOf(headers, name).length > 0);
}
