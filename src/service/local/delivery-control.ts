import {
  type DeliveryDetail,
  describeDelivery,
  findDeliveries,
  listDeliveries,
} from '../deliveries/records.ts';
import { retryDeliveries } from '../deliveries/retry.ts';
import { type ClockContext, readClock } from './clock-control.ts';
import type { AdminHandlers } from './handler.ts';

export type DeliveryContext = Pick<ClockContext, 'store' | 'development' | 'realClock'> & {
  readonly apiKey: string;
};

export const deliveries: AdminHandlers<'deliveries', DeliveryContext> = {
  'local.deliveries.list': async ({ store, apiKey }, { limit, ...filter }) => {
    const found = await listDeliveries(store, apiKey, filter, limit + 1);
    return { deliveries: found.slice(0, limit).map(describeDelivery), more: found.length > limit };
  },
  'local.deliveries.show': async ({ store, apiKey }, { id }) => {
    const [found] = (await findDeliveries(store, apiKey, [id])) as [DeliveryDetail];
    return { ...describeDelivery(found), payload: JSON.parse(found.payload ?? 'null') };
  },
  'local.deliveries.retry': async (context, { retry }) => {
    const { store, apiKey } = context;
    const now = Date.parse((await readClock(context)).now);
    const retried = await retryDeliveries(store, { apiKey, now }, retry);
    return { deliveries: retried.map(describeDelivery) };
  },
};
