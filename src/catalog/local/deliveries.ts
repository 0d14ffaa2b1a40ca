import * as z from 'zod/mini';
import { flag } from '../fields.ts';
import { described } from '../metadata.ts';
import { defineAdminOperation, limitOf, result } from './define.ts';
import { DELIVERY_COLUMNS, type Delivery, SELECTABLE_STATES } from './delivery.ts';

const path = '/_svc/deliveries';

export const deliveries = {
  'local.deliveries.list': defineAdminOperation('local.deliveries.list', {
    needs: 'data',
    summary: 'List webhook deliveries, newest first',
    description:
      'A delivery sends one event to one target: an endpoint, or the raw or processed URL of basic webhooks. svc serve sends pending deliveries. Failed deliveries are kept and can be retried.',
    examples: {
      'svc local deliveries list --state failed': 'list failed deliveries',
      'svc local deliveries list --event comment.add -o json': 'list one event type as JSON',
    },
    path,
    effect: 'read',
    input: z.object({
      state: flag(
        { value: 'state' },
        described(
          z.optional(z.enum(SELECTABLE_STATES)),
          'only deliveries in this state; failed: retrying or exhausted',
        ),
      ),
      endpointId: described(
        z.optional(z.string()),
        "only deliveries to this endpoint (ID or uid), 'raw', or 'processed'",
      ),
      event: flag(
        { value: 'type' },
        described(z.optional(z.string()), 'only deliveries of this event type'),
      ),
      limit: limitOf('deliveries'),
    }),
    output: result<{ readonly deliveries: readonly Delivery[]; readonly more: boolean }>(),
    columns: DELIVERY_COLUMNS,
  }),
  'local.deliveries.show': defineAdminOperation('local.deliveries.show', {
    needs: 'data',
    summary: 'Show webhook deliveries with every attempt',
    path: `${path}/<id>`,
    effect: 'read',
    input: z.object({ id: described(z.string(), 'delivery IDs') }),
    output: result<Delivery>(),
    arguments: [{ field: 'id', many: true }],
  }),
  'local.deliveries.retry': defineAdminOperation('local.deliveries.retry', {
    needs: 'data',
    summary: 'Retry webhook deliveries',
    description:
      'Schedules deliveries for immediate retry, with the same IDs and the full number of attempts. svc serve sends them. Pending deliveries do not wait for their next attempt.',
    examples: {
      'svc local deliveries retry --failed': 'retry all failed deliveries',
      'svc local deliveries retry --endpoint crm': 'retry the failed deliveries to an endpoint',
    },
    path,
    effect: 'once',
    selectedBy: 'retry',
    input: z.strictObject({ retry: flag('id', described(z.array(z.string()), 'delivery IDs')) }),
    output: result<{ readonly deliveries: readonly Delivery[] }>(),
    arguments: [{ field: 'retry', many: true }],
  }),
};
