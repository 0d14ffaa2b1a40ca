import type { Generated } from 'kysely';

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
