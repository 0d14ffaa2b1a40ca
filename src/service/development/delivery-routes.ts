import { SvcError } from '../../kernel/errors.ts';
import { type DeliveryDetail, type DeliveryRecord, findDeliveries, listDeliveries } from '../deliveries/records.ts';
import { retryDeliveries } from '../deliveries/retry.ts';
import type { DeliveryState } from '../store/delivery-tables.ts';
import type { AdminRoutes } from './admin.ts';
import { type ClockContext, readClock } from './clock-control.ts';

/** A delivery as in responses. Times are RFC 3339. */
export interface Delivery extends DeliveryRecord {
  readonly createdAt: string;
  /** Null during an attempt and after the last one. */
  readonly nextAttempt: string | null;
}

/** A delivery with its payload, which is null after it succeeded. */
export interface DeliveryWithPayload extends Delivery {
  readonly payload: unknown;
}

const STATES: readonly DeliveryState[] = ['pending', 'delivered', 'failed'];
const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1_000;

export function deliveryRoutes(context: ClockContext & { readonly apiKey: string }): AdminRoutes {
  const { store, apiKey } = context;
  return {
    'GET /_svc/deliveries': async ({ query }) => {
      const limit = Math.min(parseLimit(query.get('limit')), MAX_LIMIT);
      const found = await listDeliveries(store, apiKey, { state: parseState(query.get('state')) }, limit);
      return { deliveries: found.map(describeDelivery) };
    },
    'GET /_svc/deliveries/<id>': async ({ segments: [id = ''] }): Promise<DeliveryWithPayload> => {
      const [found] = (await findDeliveries(store, apiKey, [id])) as [DeliveryDetail];
      return { ...describeDelivery(found), payload: found.payload === undefined ? null : JSON.parse(found.payload) };
    },
    'POST /_svc/deliveries': async ({ body: { retry } }) => {
      if (!Array.isArray(retry) || retry.length === 0 || retry.some((id) => typeof id !== 'string')) {
        throw new SvcError('usage', 'the body must have delivery IDs, such as {"retry":["msg_1"]}');
      }
      const now = Date.parse((await readClock(context)).now);
      return { deliveries: (await retryDeliveries(store, { apiKey, now }, retry)).map(describeDelivery) };
    },
  };
}

function describeDelivery({ record, createdAt, nextAttempt }: DeliveryDetail): Delivery {
  const next = nextAttempt === undefined ? null : new Date(nextAttempt).toISOString();
  return { ...record, createdAt: new Date(createdAt).toISOString(), nextAttempt: next };
}

function parseState(text: string | null): DeliveryState | undefined {
  const state = STATES.find((known) => known === text);
  if (state !== undefined || text === null) return state;
  throw new SvcError('usage', `state must be one of ${STATES.join(', ')}, got '${text}'`);
}

function parseLimit(text: string | null): number {
  if (text === null) return DEFAULT_LIMIT;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new SvcError('usage', `limit must be a whole number of at least 1, got '${text}'`);
}
