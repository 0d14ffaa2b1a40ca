import type { Generated, SchemaModule } from 'kysely';

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
}

/** The lists in a user's data, in the interface's order. */
export const USER_DATA_FEATURES = ['comments', 'reactions', 'recordings', 'notifications'] as const;
export type UserDataFeature = (typeof USER_DATA_FEATURES)[number];

/** Creates the tables of user groups, user data, activities, and presence. */
export async function createCollaborationTables(schema: SchemaModule): Promise<void> {
  await createUserGroupTables(schema);
  await createUserDataTables(schema);
  await createDocumentTables(schema);
}

async function createUserGroupTables(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('userGroups')
    .addColumn('organization', 'integer', (column) => column.notNull().references('organizations.key'))
    .addColumn('groupId', 'text', (column) => column.notNull())
    .addColumn('groupName', 'text')
    .addColumn('otherFields', 'text')
    .addPrimaryKeyConstraint('userGroupKey', ['organization', 'groupId'])
    .execute();
  await schema
    .createTable('userGroupMembers')
    .addColumn('organization', 'integer', (column) => column.notNull())
    .addColumn('groupId', 'text', (column) => column.notNull())
    .addColumn('userId', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('userGroupMemberKey', ['organization', 'groupId', 'userId'])
    .addForeignKeyConstraint('memberOfGroup', ['organization', 'groupId'], 'userGroups', ['organization', 'groupId'])
    .addForeignKeyConstraint('userInGroup', ['organization', 'userId'], 'users', ['organization', 'userId'])
    .execute();
}

async function createUserDataTables(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('userData')
    .addColumn('key', 'integer', (column) => column.primaryKey())
    .addColumn('organization', 'integer', (column) => column.notNull().references('organizations.key'))
    .addColumn('feature', 'text', (column) => column.notNull())
    .addColumn('notificationId', 'text')
    .addColumn('documentId', 'text')
    .addColumn('data', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('userDataByNotification')
    .on('userData')
    .columns(['organization', 'notificationId'])
    .execute();
  await schema
    .createTable('participants')
    .addColumn('organization', 'integer', (column) => column.notNull())
    .addColumn('userId', 'text', (column) => column.notNull())
    .addColumn('feature', 'text', (column) => column.notNull())
    .addColumn('item', 'integer', (column) => column.notNull().references('userData.key'))
    .addPrimaryKeyConstraint('participantKey', ['organization', 'userId', 'feature', 'item'])
    .execute();
}

async function createDocumentTables(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('activities')
    .addColumn('key', 'integer', (column) => column.primaryKey())
    .addColumn('organization', 'integer', (column) => column.notNull().references('organizations.key'))
    .addColumn('activityId', 'text', (column) => column.notNull())
    .addColumn('documentId', 'text', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .addColumn('lastUpdated', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('activityKey', ['organization', 'activityId'])
    .execute();
  await schema
    .createTable('presence')
    .addColumn('organization', 'integer', (column) => column.notNull().references('organizations.key'))
    .addColumn('documentId', 'text', (column) => column.notNull())
    .addColumn('userId', 'text', (column) => column.notNull())
    .addColumn('name', 'text')
    .addColumn('email', 'text')
    .addColumn('status', 'text')
    .addColumn('otherFields', 'text')
    .addColumn('lastUpdated', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('presenceKey', ['organization', 'documentId', 'userId'])
    .execute();
}
