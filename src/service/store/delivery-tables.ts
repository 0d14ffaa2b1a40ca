import { type Generated, type SchemaModule, sql } from 'kysely';

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

export async function createDeliveryTables(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('deliveries')
    .addColumn('key', 'integer', (column) => column.primaryKey())
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('apiKey', 'text', (column) => column.notNull().references('apiKeys.id'))
    .addColumn('form', 'text', (column) => column.notNull())
    .addColumn('lane', 'text', (column) => column.notNull())
    .addColumn('event', 'text', (column) => column.notNull())
    .addColumn('payload', 'text')
    .addColumn('size', 'integer', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'text', (column) => column.notNull())
    .addColumn('tries', 'integer', (column) => column.notNull())
    .addColumn('dueAt', 'bigint')
    .addColumn('owner', 'text')
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('deliveriesDue')
    .on('deliveries')
    .columns(['lane', 'dueAt', 'key'])
    .where(sql.ref('dueAt'), 'is not', null)
    .execute();
  await schema
    .createIndex('deliveriesEnded')
    .on('deliveries')
    .columns(['state', 'key'])
    .where(sql.ref('dueAt'), 'is', null)
    .execute();
  await schema.alterTable('endpoints').addColumn('failingSince', 'bigint').execute();
}

export async function addStartsColumn(schema: SchemaModule): Promise<void> {
  await schema.alterTable('endpoints').addColumn('begun', 'text').execute();
}
