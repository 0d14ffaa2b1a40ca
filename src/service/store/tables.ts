import type { Generated } from 'kysely';
import type { DeliveryFailure } from '../../catalog/local/delivery.ts';

/**
 * Columns of each table. Times are in milliseconds since the epoch, JSON is text, and booleans are
 * 0 or 1, so that the same statements run on every database. Data of an organization refers to the
 * organization's surrogate `key`, so that other API keys cannot access it. `otherFields` is a JSON
 * object of fields that the API does not define.
 */
export interface Tables {
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
  userGroups: {
    organization: number;
    groupId: string;
    groupName: string | null;
    otherFields: string | null;
  };
  userGroupMembers: { organization: number; groupId: string; userId: string };
  userData: {
    key: Generated<number>;
    organization: number;
    feature: UserDataFeature;
    /** ID of a notification. Null for other features. */
    notificationId: string | null;
    documentId: string | null;
    /** JSON object of the item as in responses, without `documentId`. */
    data: string;
  };
  /** Users involved in an item, with its feature. They do not have to be in `users`. */
  participants: { organization: number; userId: string; feature: UserDataFeature; item: number };
  activities: {
    key: Generated<number>;
    organization: number;
    activityId: string;
    documentId: string;
    /** JSON object of the fields, without the IDs. */
    data: string;
    createdAt: number;
    lastUpdated: number;
  };
  presence: {
    organization: number;
    documentId: string;
    userId: string;
    name: string | null;
    email: string | null;
    status: string | null;
    otherFields: string | null;
    lastUpdated: number;
  };
  editors: {
    organization: number;
    documentId: string;
    editorId: string;
    /** Yjs document, encoded as one update, in base64. */
    state: string;
    types: string;
    /** Content key that was written last. Responses contain its content. */
    contentKey: string;
    lastUpdate: number;
    lastUpdatedBy: string | null;
    sessionId: string | null;
  };
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
    state: StoredDeliveryState;
    attempts: string;
    tries: number;
    /** Time of the next attempt, or the end of the claim. Null after the last attempt. */
    dueAt: number | null;
    owner: string | null;
    createdAt: number;
    /** Trace of the request that caused the event, which the delivery continues. */
    trace: string | null;
    /** Why the last attempt failed. */
    reason: Generated<DeliveryFailure | null>;
    /** Time from the next attempt to the last one, in milliseconds. Null before a failure. */
    retryPeriod: Generated<number | null>;
  };
  /** `config` is a JSON object. */
  configs: { apiKey: string; service: ConfiguredService; config: string };
  /**
   * Endpoints of advanced webhooks. The newest endpoint has the highest `key`. Lists and `metadata`
   * are JSON.
   */
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
    failingSince: Generated<number | null>;
    /** Why the last attempt failed. Only meaningful with `failingSince`. */
    failingReason: Generated<DeliveryFailure | null>;
    /** Recent attempts as JSON. Only used with a rate limit. */
    begun: Generated<string | null>;
    createdAt: number;
    updatedAt: number;
  };
  /** `agent` is the complete record as JSON, including secrets. */
  agents: { key: Generated<number>; apiKey: string; agentId: string; agent: string };
  /**
   * `agentIds` is a JSON array in the group's order. `agentGroup` is the complete record as JSON.
   */
  agentGroups: {
    key: Generated<number>;
    apiKey: string;
    groupId: string;
    agentIds: string;
    agentGroup: string;
  };
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

export type MemberLevel = 'organization' | 'folder' | 'document';
/** A delivery is `pending` until it succeeds or has no attempts left. */
export type StoredDeliveryState = 'pending' | 'delivered' | 'failed';
export type DeliveryForm = 'advanced' | 'raw' | 'processed';
export type ConfiguredService = 'webhooks' | 'advanced-webhooks' | 'email' | 'permission-provider';
export type MigrationStatus = 'pending' | 'in_progress' | 'completed' | 'failed';
/** Features of user data, in the order of responses. */
export const USER_DATA_FEATURES = ['comments', 'reactions', 'recordings', 'notifications'] as const;
export type UserDataFeature = (typeof USER_DATA_FEATURES)[number];
