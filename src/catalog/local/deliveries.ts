import * as z from 'zod/mini';
import { parseSince } from '../../kernel/timestamp.ts';
import { flag } from '../fields.ts';
import { described } from '../metadata.ts';
import { defineAdminOperation, limitOf, result } from './define.ts';
import {
  DELIVERY_COLUMNS,
  type Delivery,
  FAILURE_REASONS,
  isReason,
  parseReason,
  type ReceiverHealth,
  SELECTABLE_STATES,
} from './delivery.ts';

const path = '/_svc/deliveries';

const timeOf = (description: string) =>
  flag(
    { value: 'time' },
    described(
      z.optional(
        z.string().check(
          z.refine((text) => parseSince(text, 0) !== undefined, {
            error: ({ input }) =>
              `expected a duration such as 1h, or a time such as 2026-03-01T12:00:00Z, got '${input}'`,
          }),
        ),
      ),
      description,
    ),
  );

/** Selects deliveries, besides their state. */
const filter = {
  endpointId: described(
    z.optional(z.string()),
    "only deliveries to this endpoint (ID or uid), 'raw', or 'processed'",
  ),
  event: flag(
    { value: 'type' },
    described(z.optional(z.string()), 'only deliveries of this event type'),
  ),
  reason: flag(
    { value: 'reason' },
    described(
      z.optional(
        z.string().check(
          z.overwrite(parseReason),
          z.refine((reason) => isReason(reason), {
            error: ({ input }) =>
              `unknown reason '${input}'; use one of ${FAILURE_REASONS.join(', ')}`,
          }),
        ),
      ),
      `only deliveries whose last attempt failed for this reason: ${FAILURE_REASONS.join(', ')}`,
    ),
  ),
  since: timeOf('only deliveries recorded since then: 1h, 7d, or a time'),
  until: timeOf('only deliveries recorded until then'),
};

export const deliveries = {
  'local.deliveries.list': defineAdminOperation('local.deliveries.list', {
    needs: 'data',
    summary: 'List webhook deliveries, newest first',
    description:
      'A delivery sends one event to one target: an endpoint, or the raw or processed URL of basic webhooks. svc serve sends pending deliveries. Failed deliveries are kept and can be retried.',
    examples: {
      'svc local deliveries list --state failed': 'list failed deliveries',
      'svc local deliveries list --endpoint crm --reason timeout --since 1h':
        'list the timeouts of an endpoint in the last hour',
      'svc local deliveries list --event comment.add -o json': 'list one event type as JSON',
    },
    path,
    effect: 'read',
    input: z.object({
      state: flag(
        { value: 'state' },
        described(
          z.optional(z.enum(SELECTABLE_STATES)),
          'only deliveries in this state (failed: retrying or exhausted)',
        ),
      ),
      ...filter,
      limit: limitOf('deliveries'),
    }),
    output: result<{
      readonly deliveries: readonly Delivery[];
      readonly more: boolean;
      readonly receivers: ReceiverHealth;
    }>(),
    columns: DELIVERY_COLUMNS,
  }),
  'local.deliveries.show': defineAdminOperation('local.deliveries.show', {
    needs: 'data',
    summary: 'Show webhook deliveries with every attempt',
    description:
      'Prints why each attempt failed, with the start of the response, the headers, and the payload. Secrets in responses are masked.',
    examples: {
      'svc local deliveries show last': 'show the latest delivery',
    },
    path: `${path}/<id>`,
    effect: 'read',
    input: z.object({ id: described(z.string(), "delivery IDs, or 'last'") }),
    output: result<Delivery>(),
    arguments: [{ field: 'id', many: true }],
  }),
  'local.deliveries.retry': defineAdminOperation('local.deliveries.retry', {
    needs: 'data',
    summary: 'Retry webhook deliveries',
    description:
      'Schedules deliveries for immediate retry, oldest first, with the same webhook-id and the full number of attempts. svc serve sends them. Flags select only deliveries whose last attempt failed, and svc counts them and asks before the retry. IDs also select deliveries that have succeeded. Without flags or IDs, prompts for a failed delivery.',
    examples: {
      'svc local deliveries retry last': 'retry the latest failed delivery',
      'svc local deliveries retry --endpoint crm --since 1h':
        'retry the failures of an endpoint in the last hour',
      'svc local deliveries retry --state failed --yes':
        'retry all failures without a confirmation',
    },
    path,
    effect: 'once',
    selectedBy: 'retry',
    input: z.strictObject({
      retry: flag('id', described(z.array(z.string()), "delivery IDs, or 'last'")),
    }),
    output: result<{ readonly deliveries: readonly Delivery[] }>(),
    arguments: [{ field: 'retry', many: true }],
  }),
};
