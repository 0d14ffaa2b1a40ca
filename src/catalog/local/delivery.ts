import type { Column } from '../define.ts';

export const DELIVERY_COLUMNS: readonly Column[] = [
  { header: 'ID', field: 'id', kind: 'whole' },
  { header: 'EVENT', field: 'event' },
  { header: 'ENDPOINT', field: 'endpoint', kind: 'whole', hideOrder: 5 },
  { header: 'STATE', field: 'state', kind: 'state' },
  { header: 'WHY', field: 'reason', hideOrder: 3 },
  { header: 'ATTEMPTS', field: 'attempts', hideOrder: 1 },
  { header: 'LAST', field: 'last' },
  { header: 'NEXT ATTEMPT', field: 'nextAttempt', kind: 'time', hideOrder: 4 },
  { header: 'GIVES UP', field: 'givesUpAt', kind: 'time', hideOrder: 2 },
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
/** States in which the last attempt failed. */
export const FAILED_STATES = ['failed', 'retrying', 'exhausted'] as const;
export type FailedState = (typeof FAILED_STATES)[number];

/** Kinds of failed attempts. `stopped` means that the delivery lost its target. */
export const FAILURE_REASONS = [
  'http 4xx',
  'http 5xx',
  'timeout',
  'connection refused',
  'reset',
  'dns',
  'tls',
  'redirect',
  'stopped',
  'other',
] as const;
export type DeliveryFailure = (typeof FAILURE_REASONS)[number];

/** An attempt, or the reason why the delivery was not attempted. */
export interface DeliveryAttempt {
  /** RFC 3339, UTC. */
  readonly at: string;
  /** HTTP status, or null without a response. */
  readonly status: number | null;
  readonly error: string | null;
  /** Null for a success, and for attempts that an older svc recorded. */
  readonly reason: DeliveryFailure | null;
  /** Time until the status or the failure. Null if the delivery was not attempted. */
  readonly milliseconds: number | null;
  /**
   * The first 1 kB of the response body as text with secrets masked, or a description of binary
   * data. Null without a body.
   */
  readonly body: string | null;
}

/** An attempt in the log of `svc serve`. */
export interface LoggedAttempt extends DeliveryAttempt {
  /** ID of the delivery. */
  readonly id: string;
  readonly event: string;
  readonly endpointId: string;
  /** Custom ID of the endpoint. Null without one. */
  readonly endpointUid: string | null;
  /** Number of the attempt, from 1. A retry starts again. */
  readonly attempt: number;
}

export interface DeliveryRecord {
  readonly id: string;
  /** Endpoint ID, or `raw` or `processed` for basic webhooks. */
  readonly endpointId: string;
  /** Custom ID of the endpoint. Null without one, and if the endpoint was deleted. */
  readonly endpointUid: string | null;
  readonly event: string;
  readonly state: DeliveryState;
  /** Why the last attempt failed. Null for a delivery that was not attempted or has succeeded. */
  readonly reason: DeliveryFailure | null;
  /** Time of the next attempt. Null during an attempt and after the last attempt. */
  readonly nextAttempt: string | null;
  /** Time of the last attempt. Null if none is due, and before the first attempt has failed. */
  readonly givesUpAt: string | null;
  readonly attempts: readonly DeliveryAttempt[];
}

/** A delivery in a response. Times are in RFC 3339. */
export interface Delivery extends DeliveryRecord {
  readonly createdAt: string;
  /**
   * Headers of the request, with secrets masked and without those that differ between attempts.
   * Null if the delivery has no target. Lists omit them.
   */
  readonly headers?: Readonly<Record<string, string>> | null;
  /** Payload of the event. Null for a success that an older svc recorded. Lists omit it. */
  readonly payload?: unknown;
}

/** The receivers of deliveries, and for each kind of failure the number of those that fail. */
export interface ReceiverHealth {
  readonly total: number;
  readonly failing: Readonly<Partial<Record<DeliveryFailure, number>>>;
}

/** Completes a reason: `5xx` and `http-5xx` mean `http 5xx`, `refused` means `connection refused`. */
export function parseReason(text: string): string {
  const words = text.trim().toLowerCase().replaceAll(/[-_]/g, ' ');
  return FAILURE_REASONS.find((reason) => reason.split(' ').at(-1) === words) ?? words;
}

export function isReason(text: string): text is DeliveryFailure {
  return FAILURE_REASONS.some((reason) => reason === text);
}
