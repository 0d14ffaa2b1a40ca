import type { Generated } from 'kysely';
import type { CollaborationTables } from './collaboration-tables.ts';
import type { DeliveryTables } from './delivery-tables.ts';
import type { KeyTables } from './key-tables.ts';

/**
 * Columns of each table. Times are in milliseconds since the epoch, JSON is text, and booleans are 0 or 1, so that the
 * same statements run on every database. Data of an organization refers to the organization's surrogate `key`, so that
 * other API keys cannot access it. `otherFields` is a JSON object of fields that the API does not define.
 */
export interface Tables extends KeyTables, CollaborationTables, DeliveryTables {
  schemaVersion: { version: number };
  /** Settings for development, such as the clock, by name. `value` is JSON. */
  development: { name: string; value: string };
  /** Number of access tokens that expire at a time, until then. */
  issuedTokens: { expiresAt: number; count: number };
  workspaces: {
    key: Generated<number>;
    id: string;
    name: string;
    ownerId: string;
    ownerName: string;
    ownerEmail: string;
    ownerAvatar: string;
    authToken: string;
    /** Key that signs access tokens. Never leaves the store. */
    signingKey: string;
  };
  apiKeys: { id: string; workspaceId: string; apiKeyName: string; type: string };
  authTokens: { apiKey: string; token: string; name: string; domains: string };
  organizations: {
    key: Generated<number>;
    apiKey: string;
    organizationId: string;
    organizationName: string | null;
    otherFields: string | null;
    createdAt: number;
  };
  folders: {
    organization: number;
    folderId: string;
    folderName: string | null;
    parentFolderId: string;
    /** JSON array of folder IDs, from `root` to the parent. */
    ancestors: string;
    accessType: string;
    inheritAccessFromParent: number;
    createdAt: number;
    lastUpdated: number;
  };
  documents: {
    key: Generated<number>;
    organization: number;
    documentId: string;
    id: string;
    documentName: string | null;
    /** Null at the top level of the organization. */
    folderId: string | null;
    disabled: Generated<number>;
    accessType: Generated<string>;
    createdAt: number;
  };
  users: {
    organization: number;
    userId: string;
    id: string;
    name: string | null;
    email: string | null;
    initial: string | null;
    otherFields: string | null;
  };
  /** Memberships. `resourceId` is the ID of a folder or document, or empty for the organization. */
  members: {
    organization: number;
    level: MemberLevel;
    resourceId: string;
    userId: string;
    /** Null for the default, `editor`. */
    accessRole: string | null;
    /** Null for no expiry. */
    expiresAt: number | null;
    addedAt: number;
  };
}

export type MemberLevel = 'organization' | 'folder' | 'document';
