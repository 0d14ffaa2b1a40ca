import type { Generated, SchemaModule } from 'kysely';

/** What belongs to an API key itself: its configuration, endpoints and agents, and the migrations it asked for. */
export interface KeyTables {
  /** `config` is a JSON object of what was set or seeded; what never was is not in it. */
  configs: { apiKey: string; service: ConfiguredService; config: string };
  /** Endpoints of advanced webhooks, newest with the highest `key`. Lists and `metadata` are JSON. */
  endpoints: {
    key: Generated<number>;
    apiKey: string;
    id: string;
    url: string;
    description: string | null;
    filterTypes: string | null;
    channels: string | null;
    disabled: number;
    rateLimit: number | null;
    uid: string | null;
    metadata: string | null;
    secret: string;
    /** When the first of its attempts failed since one succeeded. */
    failingSince: Generated<number | null>;
    /** JSON of the attempts that were begun last, where it has a rate limit. */
    begun: Generated<string | null>;
    createdAt: number;
    updatedAt: number;
  };
  /** `agent` is the whole record as JSON, its secrets included. */
  agents: { key: Generated<number>; apiKey: string; agentId: string; agent: string };
  /** `agentIds` is a JSON array, in the group's own order; `agentGroup` the whole record as JSON. */
  agentGroups: { key: Generated<number>; apiKey: string; groupId: string; agentIds: string; agentGroup: string };
  documentMigrations: {
    migrationId: string;
    apiKey: string;
    organizationId: string;
    documentId: string;
    newDocumentId: string;
    status: MigrationStatus;
    createdAt: number;
  };
}

export type ConfiguredService = 'webhooks' | 'advanced-webhooks' | 'email' | 'permission-provider';
export type MigrationStatus = 'pending' | 'in_progress' | 'completed' | 'failed';

export async function keyTables(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('configs')
    .addColumn('apiKey', 'text', (column) => column.notNull().references('apiKeys.id'))
    .addColumn('service', 'text', (column) => column.notNull())
    .addColumn('config', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('configKey', ['apiKey', 'service'])
    .execute();
  await endpointTable(schema);
  await agentTables(schema);
  await schema
    .createTable('documentMigrations')
    .addColumn('migrationId', 'text', (column) => column.primaryKey().notNull())
    .addColumn('apiKey', 'text', (column) => column.notNull().references('apiKeys.id'))
    .addColumn('organizationId', 'text', (column) => column.notNull())
    .addColumn('documentId', 'text', (column) => column.notNull())
    .addColumn('newDocumentId', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .execute();
  await schema.createIndex('documentMigrationsByStatus').on('documentMigrations').column('status').execute();
}

async function endpointTable(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('endpoints')
    .addColumn('key', 'integer', (column) => column.primaryKey())
    .addColumn('apiKey', 'text', (column) => column.notNull().references('apiKeys.id'))
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('filterTypes', 'text')
    .addColumn('channels', 'text')
    .addColumn('disabled', 'integer', (column) => column.notNull())
    .addColumn('rateLimit', 'integer')
    .addColumn('uid', 'text')
    .addColumn('metadata', 'text')
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .addColumn('updatedAt', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('endpointUid', ['apiKey', 'uid'])
    .execute();
  await schema.createIndex('endpointsInOrder').on('endpoints').columns(['apiKey', 'key']).execute();
}

async function agentTables(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('agents')
    .addColumn('key', 'integer', (column) => column.primaryKey())
    .addColumn('apiKey', 'text', (column) => column.notNull().references('apiKeys.id'))
    .addColumn('agentId', 'text', (column) => column.notNull())
    .addColumn('agent', 'text', (column) => column.notNull())
    .addUniqueConstraint('agentKey', ['apiKey', 'agentId'])
    .execute();
  await schema
    .createTable('agentGroups')
    .addColumn('key', 'integer', (column) => column.primaryKey())
    .addColumn('apiKey', 'text', (column) => column.notNull().references('apiKeys.id'))
    .addColumn('groupId', 'text', (column) => column.notNull())
    .addColumn('agentIds', 'text', (column) => column.notNull())
    .addColumn('agentGroup', 'text', (column) => column.notNull())
    .addUniqueConstraint('agentGroupKey', ['apiKey', 'groupId'])
    .execute();
}
