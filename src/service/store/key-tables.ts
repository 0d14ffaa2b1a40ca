import type { Generated } from 'kysely';

/** Tables for the data of an API key, such as its configuration, endpoints, and agents. */
export interface KeyTables {
  /** `config` is a JSON object. */
  configs: { apiKey: string; service: ConfiguredService; config: string };
  /** Endpoints of advanced webhooks. The newest endpoint has the highest `key`. Lists and `metadata` are JSON. */
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
    /** Time of the first failed attempt since the last successful one. */
    failingSince: Generated<number | null>;
    /** Recent attempts as JSON. Only used with a rate limit. */
    begun: Generated<string | null>;
    createdAt: number;
    updatedAt: number;
  };
  /** `agent` is the complete record as JSON, including secrets. */
  agents: { key: Generated<number>; apiKey: string; agentId: string; agent: string };
  /** `agentIds` is a JSON array in the group's order. `agentGroup` is the complete record as JSON. */
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
