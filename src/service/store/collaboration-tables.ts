import type { Generated } from 'kysely';

export interface CollaborationTables {
  userGroups: { organization: number; groupId: string; groupName: string | null; otherFields: string | null };
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
}

/** Features of user data, in the order of responses. */
export const USER_DATA_FEATURES = ['comments', 'reactions', 'recordings', 'notifications'] as const;
export type UserDataFeature = (typeof USER_DATA_FEATURES)[number];
