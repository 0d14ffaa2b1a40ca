import type { Generated } from 'kysely';

export interface CollaborationTables {
  userGroups: { organization: number; groupId: string; groupName: string | null; otherFields: string | null };
  userGroupMembers: { organization: number; groupId: string; userId: string };
  /** Comments, reactions, recordings, and notifications that involve users. */
  userData: {
    key: Generated<number>;
    organization: number;
    feature: UserDataFeature;
    /** The caller's ID of a notification; null for other features. */
    notificationId: string | null;
    documentId: string | null;
    /** JSON object of the item as returned to users, without `documentId`. */
    data: string;
  };
  /** The users involved in an item of `userData`, with the item's feature. They need not exist in `users`. */
  participants: { organization: number; userId: string; feature: UserDataFeature; item: number };
  activities: {
    key: Generated<number>;
    organization: number;
    activityId: string;
    documentId: string;
    /** JSON object of the given fields, without the two IDs. */
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
  /** Contents of collaborative editors. */
  editors: {
    organization: number;
    documentId: string;
    editorId: string;
    /** The Yjs document as one update, in base64. */
    state: string;
    /** JSON object: the type of each content key of the document. */
    types: string;
    /** The content key that was written last. Reads return its content. */
    contentKey: string;
    lastUpdate: number;
    lastUpdatedBy: string | null;
    sessionId: string | null;
  };
}

/** The lists in a user's data, in the interface's order. */
export const USER_DATA_FEATURES = ['comments', 'reactions', 'recordings', 'notifications'] as const;
export type UserDataFeature = (typeof USER_DATA_FEATURES)[number];
