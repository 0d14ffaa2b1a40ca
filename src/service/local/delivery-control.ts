import { maskSecret } from '../../kernel/redact.ts';
import { parsePeriod } from '../../kernel/timestamp.ts';
import { SIGNATURE_HEADERS } from '../../webhooks/form.ts';
import { resolveDestination } from '../deliveries/destination.ts';
import {
  type DeliveryDetail,
  describeDelivery,
  findDeliveries,
  listDeliveries,
  readReceiverHealth,
  requireDelivery,
} from '../deliveries/records.ts';
import { retryDeliveries } from '../deliveries/retry.ts';
import type { Store } from '../store/store.ts';
import { type ClockContext, readClock } from './clock-control.ts';
import type { AdminHandlers } from './handler.ts';

export type DeliveryContext = Pick<ClockContext, 'store' | 'development' | 'realClock'> & {
  readonly apiKey: string;
};

export const deliveries: AdminHandlers<'deliveries', DeliveryContext> = {
  'local.deliveries.list': async (context, { limit, since, until, ...filter }) => {
    const { store, apiKey } = context;
    const now = Date.parse((await readClock(context)).now);
    const period = parsePeriod({ since, until }, now);
    const found = await listDeliveries(store, apiKey, { ...filter, ...period }, limit + 1);
    return {
      deliveries: found.slice(0, limit).map(describeDelivery),
      more: found.length > limit,
      receivers: await readReceiverHealth(store, apiKey, found),
    };
  },
  'local.deliveries.show': async ({ store, apiKey }, { id }) => {
    const [found] = (await findDeliveries(store, apiKey, [id])) as [DeliveryDetail];
    return {
      ...describeDelivery(found),
      headers: await readDeliveryHeaders(store, apiKey, found.record.id),
      payload: JSON.parse(found.payload ?? 'null'),
    };
  },
  'local.deliveries.retry': async (context, { retry }) => {
    const { store, apiKey } = context;
    const now = Date.parse((await readClock(context)).now);
    const retried = await retryDeliveries(store, { apiKey, now }, retry);
    return { deliveries: retried.map(describeDelivery) };
  },
};

/** Headers that differ between the attempts of a delivery. */
const PER_ATTEMPT: readonly string[] = [SIGNATURE_HEADERS.timestamp, SIGNATURE_HEADERS.signature];

/**
 * Returns the headers of a delivery, with the token masked. Null if the delivery has no target, or if
 * its configuration is invalid.
 */
function readDeliveryHeaders(
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
