import { type Generated, type SchemaModule, sql } from 'kysely';

/** What the service tells others of: webhook deliveries, from the change that caused them to their end. */
export interface DeliveryTables {
  /** The outbox: a row for each event and each target that wanted it when it happened. */
  deliveries: {
    key: Generated<number>;
    /** The `webhook-id` of every attempt. */
    id: string;
    apiKey: string;
    form: DeliveryForm;
    /** What is delivered one beside the other under one limit: an endpoint's id, or a basic URL of an API key. */
    lane: string;
    event: string;
    /** The payload's JSON, neither encoded nor encrypted; null once it was delivered. */
    payload: string | null;
    /** Bytes of the payload. */
    size: number;
    state: DeliveryState;
    /** A line of JSON for each attempt. */
    attempts: string;
    /** Attempts since it was recorded, or last asked for again. */
    tries: number;
    /** When to try next, or until when the owner has it; null when it has come to its end. */
    dueAt: number | null;
    /** The process that is trying right now. */
    owner: string | null;
    createdAt: number;
  };
}

export type DeliveryForm = 'advanced' | 'raw' | 'processed';
export type DeliveryState = 'pending' | 'delivered' | 'failed';

export async function deliveryTables(schema: SchemaModule): Promise<void> {
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

export async function startsColumn(schema: SchemaModule): Promise<void> {
  await schema.alterTable('endpoints').addColumn('begun', 'text').execute();
}
