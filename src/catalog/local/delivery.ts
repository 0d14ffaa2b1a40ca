import type { Column } from '../define.ts';

export const DELIVERY_COLUMNS: readonly Column[] = [
  { header: 'ID', field: 'id', kind: 'whole' },
  { header: 'EVENT', field: 'event', hideOrder: 5 },
  { header: 'ENDPOINT', field: 'endpointId', kind: 'whole', hideOrder: 1 },
  { header: 'STATE', field: 'state', kind: 'state' },
  { header: 'ATTEMPTS', field: 'attempts', hideOrder: 3 },
  { header: 'LAST', field: 'last', hideOrder: 4 },
  { header: 'NEXT ATTEMPT', field: 'nextAttempt', kind: 'time', hideOrder: 2 },
];

/**
 * States of a delivery: `pending` was never attempted, `retrying` waits for another attempt, and
 * `exhausted` has no attempts left.
 */
export const DELIVERY_STATES = ['pending', 'retrying', 'delivered', 'exhausted'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];
/** States to select deliveries. `failed` means that the last attempt failed. */
export const SELECTABLE_STATES = [...DELIVERY_STATES, 'failed'] as const;
export type SelectableState = (typeof SELECTABLE_STATES)[number];

/** An attempt, or the reason why the delivery was not attempted. */
export interface DeliveryAttempt {
  /** RFC 3339, UTC. */
  readonly at: string;
  /** HTTP status, or null without a response. */
  readonly status: number | null;
  readonly error: string | null;
}

export interface DeliveryRecord {
  readonly id: string;
  /** Endpoint ID, or `raw` or `processed` for basic webhooks. */
  readonly endpointId: string;
  readonly event: string;
  readonly state: DeliveryState;
  readonly attempts: readonly DeliveryAttempt[];
}

/** A delivery in a response. Times are in RFC 3339. */
export interface Delivery extends DeliveryRecord {
  readonly createdAt: string;
  /** Time of the next attempt. Null during an attempt and after the last attempt. */
  readonly nextAttempt: string | null;
  /** Payload of the event. Null after a successful delivery. Lists omit it. */
  readonly payload?: unknown;
}
