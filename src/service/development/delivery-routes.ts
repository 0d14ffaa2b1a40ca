import { SvcError } from '../../kernel/errors.ts';
import {
  type DeliveryDetail,
  type DeliveryRecord,
  findDeliveries,
  listDeliveries,
} from '../deliveries/records.ts';
import { retryDeliveries } from '../deliveries/retry.ts';
import type { DeliveryState } from '../store/tables.ts';
import type { AdminRoutes } from './admin.ts';
import { type ClockContext, readClock } from './clock-control.ts';

/** A delivery in a response. Times are in RFC 3339. */
export interface Delivery extends DeliveryRecord {
  readonly createdAt: string;
  /** Time of the next attempt. Null during an attempt and after the last attempt. */
  readonly nextAttempt: string | null;
  /** Payload of the event. Null after a successful delivery. Lists omit it. */
  readonly payload?: unknown;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1_000;

export function createDeliveryRoutes(
  context: ClockContext & { readonly apiKey: string },
): AdminRoutes {
  const { store, apiKey } = context;
  return {
    'GET /_svc/deliveries': async ({ query }) => {
      const filter = { state: (query.get('state') ?? undefined) as DeliveryState | undefined };
      const limit = Number.parseInt(query.get('limit') ?? '', 10) || DEFAULT_LIMIT;
      const found = await listDeliveries(
        store,
        apiKey,
        filter,
        Math.max(1, Math.min(limit, MAX_LIMIT)),
      );
      return { deliveries: found.map(describeDelivery) };
    },
    'GET /_svc/deliveries/<id>': async ({ segments }): Promise<Delivery> => {
      const [found] = (await findDeliveries(store, apiKey, segments)) as [DeliveryDetail];
      return { ...describeDelivery(found), payload: JSON.parse(found.payload ?? 'null') };
    },
    'POST /_svc/deliveries': async ({ body: { retry } }) => {
      if (!isList(retry))
        throw new SvcError(
          'usage',
          'the body must contain delivery IDs, such as {"retry":["msg_1"]}',
        );
      const now = Date.parse((await readClock(context)).now);
      return {
        deliveries: (await retryDeliveries(store, { apiKey, now }, retry)).map(describeDelivery),
      };
    },
  };
}

function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function describeDelivery({ record, createdAt, nextAttempt }: DeliveryDetail): Delivery {
  const next = nextAttempt === undefined ? null : new Date(nextAttempt).toISOString();
  return { ...record, createdAt: new Date(createdAt).toISOString(), nextAttempt: next };
}
