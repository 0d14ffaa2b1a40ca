import { parseSince } from '../../kernel/timestamp.ts';
import { readDeliveryHeaders } from '../deliveries/delivery-headers.ts';
import {
  type DeliveryDetail,
  describeDelivery,
  findDeliveries,
  listDeliveries,
  readReceiverHealth,
} from '../deliveries/records.ts';
import { retryDeliveries } from '../deliveries/retry.ts';
import { type ClockContext, readClock } from './clock-control.ts';
import type { AdminHandlers } from './handler.ts';

export type DeliveryContext = Pick<ClockContext, 'store' | 'development' | 'realClock'> & {
  readonly apiKey: string;
};

export const deliveries: AdminHandlers<'deliveries', DeliveryContext> = {
  'local.deliveries.list': async (context, { limit, since, until, ...filter }) => {
    const { store, apiKey } = context;
    const now = Date.parse((await readClock(context)).now);
    const period = { since: parsePeriod(since, now), until: parsePeriod(until, now) };
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

function parsePeriod(text: string | undefined, now: number): number | undefined {
  return text === undefined ? undefined : parseSince(text, now);
}
