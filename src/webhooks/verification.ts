import { isSameSecret } from '../kernel/same-secret.ts';
import { type Form, SIGNATURE_HEADERS } from './form.ts';
import { type Headers, headerValues } from './headers.ts';
import { type ReceivedDelivery, verifySignature } from './signature.ts';

/** What deliveries are verified with: signing secrets for advanced ones, the configured token for basic ones. */
export interface Proofs {
  readonly secrets: readonly string[];
  readonly authToken?: string | undefined;
}

export type Verification =
  | { readonly verified: true; readonly form: Form }
  | { readonly verified: false; readonly reason: string };

/** Whether a delivery of either form is what it says. `now` is in milliseconds. */
export function verifyDelivery({ secrets, authToken }: Proofs, delivery: ReceivedDelivery, now: number): Verification {
  const isSigned = looksSigned(delivery.headers);
  if (isSigned && secrets.length > 0) {
    const verdict = verifySignature(secrets, delivery, now);
    return verdict.verified ? { verified: true, form: 'advanced' } : verdict;
  }
  if (authToken !== undefined) return verifyToken(authToken, delivery);
  return { verified: false, reason: isSigned ? 'it is signed, and no secret was given' : 'it is not signed' };
}

function verifyToken(authToken: string, { headers }: ReceivedDelivery): Verification {
  const [value, ...others] = headerValues(headers, 'authorization');
  if (value === undefined) return { verified: false, reason: 'the header authorization is missing' };
  if (others.length > 0) return { verified: false, reason: `there are ${others.length + 1} headers authorization` };
  const token = /^basic (.*)$/is.exec(value)?.[1];
  if (token === undefined) return { verified: false, reason: 'the header authorization is not Basic' };
  // Header values come as Latin-1.
  return isSameSecret(token, authToken, 'latin1')
    ? { verified: true, form: 'basic' }
    : { verified: false, reason: 'the token is another one' };
}

/** Whether a delivery means to be an advanced one: it carries any of the headers that only those have. */
export function looksSigned(headers: Headers): boolean {
  return Object.values(SIGNATURE_HEADERS).some((name) => headerValues(headers, name).length > 0);
}
