import type { Generated, SchemaModule } from 'kysely';

/** The data of an API key itself: its configuration, endpoints, agents, and document migrations. */
export interface KeyTables {
  /** `config` is a JSON object of the settings that were set or seeded. */
  configs: { apiKey: string; service: ConfiguredService; config: string };
  /** Endpoints of advanced webhooks. The newest one has the highest `key`. Lists and `metadata` are JSON. */
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
    /** Time of the first failed attempt since the last success. */
    failingSince: Generated<number | null>;
    /** JSON of the most recent attempts; used only with a rate limit. */
    begun: Generated<string | null>;
    createdAt: number;
    updatedAt: number;
  };
  /** `agent` is the whole record as JSON, including its secrets. */
  agents: { key: Generated<number>; apiKey: string; agentId: string; agent: string };
  /** `agentIds` is a JSON array in the group's order. `agentGroup` is the whole record as JSON. */
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

export async function createKeyTables(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('configs')
    .addColumn('apiKey', 'text', (column) => column.notNull().references('apiKeys.id'))
    .addColumn('service', 'text', (column) => column.notNull())
    .addColumn('config', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('configKey', ['apiKey', 'service'])
    .execute();
  await createEndpointTable(schema);
  await createAgentTables(schema);
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

async function createEndpointTable(schema: SchemaModule): Promise<void> {
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

async function createAgentTables(schema: SchemaModule): Promise<void> {
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
