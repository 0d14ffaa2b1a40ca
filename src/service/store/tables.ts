import type { Generated } from 'kysely';
import type { CollaborationTables } from './collaboration-tables.ts';
import type { DeliveryTables } from './delivery-tables.ts';
import type { KeyTables } from './key-tables.ts';

/**
 * The columns of each table. Times are milliseconds since the epoch, JSON is text, and booleans are 0 or 1, so that the
 * same statements run on every database. Data of an organization refers to its surrogate `key`, so that an API key that
 * does not own the organization cannot access it. `otherFields` is a JSON object of fields unknown to the interface.
 */
export interface Tables extends KeyTables, CollaborationTables, DeliveryTables {
  schemaVersion: { version: number };
  workspaces: {
    key: Generated<number>;
    id: string;
    name: string;
    ownerId: string;
    ownerName: string;
    ownerEmail: string;
    ownerAvatar: string;
    authToken: string;
    /** The key that signs access tokens of users. Never leaves the store. */
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
    /** JSON array of the IDs from `root` down to the parent. */
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
    /** Null for the organization's top level. */
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
  /** Access of users. `resourceId` is the ID of a folder or document, or empty for the organization itself. */
  members: {
    organization: number;
    level: MemberLevel;
    resourceId: string;
    userId: string;
    /** Null means the default, `editor`. */
    accessRole: string | null;
    /** Null means never. */
    expiresAt: number | null;
    addedAt: number;
  };
}

export type MemberLevel = 'organization' | 'folder' | 'document';
