import type { Generated } from 'kysely';

export interface DeliveryTables {
  /** The outbox. Contains a row for each event and subscribed target. */
  deliveries: {
    key: Generated<number>;
    /** `webhook-id` of all attempts. */
    id: string;
    apiKey: string;
    form: DeliveryForm;
    /** Endpoint ID, or a URL of basic webhooks. Deliveries in a lane share a concurrency limit. */
    lane: string;
    event: string;
    /** Payload as JSON, neither encoded nor encrypted. Null after the delivery succeeded. */
    payload: string | null;
    /** Size of the payload, in bytes. */
    size: number;
    state: DeliveryState;
    /** A line of JSON per attempt. */
    attempts: string;
    /** Number of attempts since the delivery was recorded or manually retried. */
    tries: number;
    /** Time of the next attempt, or the end of the claim. Null after the last attempt. */
    dueAt: number | null;
    owner: string | null;
    createdAt: number;
  };
}

export type DeliveryForm = 'advanced' | 'raw' | 'processed';
export type DeliveryState = 'pending' | 'delivered' | 'failed';
