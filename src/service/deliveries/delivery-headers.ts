import { maskSecret } from '../../kernel/redact.ts';
import { SIGNATURE_HEADERS } from '../../webhooks/form.ts';
import type { Store } from '../store/store.ts';
import { resolveDestination } from './destination.ts';
import { requireDelivery } from './records.ts';

/** Headers that differ between the attempts of a delivery. */
const PER_ATTEMPT: readonly string[] = [SIGNATURE_HEADERS.timestamp, SIGNATURE_HEADERS.signature];

/**
 * Returns the headers of a delivery, with the token masked. Null if the delivery has no target, or if
 * its configuration is invalid.
 */
export function readDeliveryHeaders(
  store: Store,
  apiKey: string,
  id: string,
): Promise<Readonly<Record<string, string>> | null> {
  return store.read(async (database) => {
    const row = await requireDelivery(database, apiKey, id);
    const destination = await resolveDestination(database, row);
    if (typeof destination === 'string') return null;
    try {
      const message = { ...row, payload: row.payload ?? '' };
      const { headers } = destination.composeRequest(message, row.createdAt);
      return Object.fromEntries(
        Object.entries(headers)
          .filter(([name]) => !PER_ATTEMPT.includes(name.toLowerCase()))
          .map(([name, value]) => [name, maskCredential(name, value)]),
      );
    } catch {
      return null;
    }
  });
}

function maskCredential(name: string, value: string): string {
  if (name.toLowerCase() !== 'authorization') return value;
  const [scheme = '', ...token] = value.split(' ');
  return `${scheme} ${maskSecret(token.join(' '))}`;
}
