import type { Generated } from 'kysely';

/** Webhook deliveries, from the change that caused them to their final state. */
export interface DeliveryTables {
  /** The outbox: a row for each event and each target that was subscribed to it. */
  deliveries: {
    key: Generated<number>;
    /** The `webhook-id` of every attempt. */
    id: string;
    apiKey: string;
    form: DeliveryForm;
    /** Deliveries that share a concurrency limit: an endpoint ID, or a basic URL of an API key. */
    lane: string;
    event: string;
    /** JSON of the payload, neither encoded nor encrypted; null once delivered. */
    payload: string | null;
    /** Bytes of the payload. */
    size: number;
    state: DeliveryState;
    /** One line of JSON per attempt. */
    attempts: string;
    /** Attempts since the delivery was recorded or last retried by hand. */
    tries: number;
    /** Time of the next attempt, or end of the owner's claim; null once the delivery has ended. */
    dueAt: number | null;
    /** The process that has claimed the delivery. */
    owner: string | null;
    createdAt: number;
  };
}

export type DeliveryForm = 'advanced' | 'raw' | 'processed';
export type DeliveryState = 'pending' | 'delivered' | 'failed';
