import type { Generated, SchemaModule } from 'kysely';

export interface CollaborationTables {
  userGroups: { organization: number; groupId: string; groupName: string | null; otherFields: string | null };
  userGroupMembers: { organization: number; groupId: string; userId: string };
  /** What users created or took part in. */
  userData: {
    key: Generated<number>;
    organization: number;
    feature: Feature;
    /** The caller's id of a notification; null for everything else. */
    notificationId: string | null;
    documentId: string | null;
    /** JSON object of the item as users get it, but for its `documentId`. */
    data: string;
  };
  /** Whom an item of `userData` concerns; its feature is the item's. They need not exist as users. */
  participants: { organization: number; userId: string; feature: Feature; item: number };
  activities: {
    key: Generated<number>;
    organization: number;
    activityId: string;
    documentId: string;
    /** JSON object of the fields that were given, but for the two ids. */
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

/** The lists that a user's data consists of, in the interface's order. */
export const FEATURES = ['comments', 'reactions', 'recordings', 'notifications'] as const;
export type Feature = (typeof FEATURES)[number];

/** Groups of users, and what users do: what they are told, what the log says of them, where they are. */
export async function collaborationTables(schema: SchemaModule): Promise<void> {
  await userGroupTables(schema);
  await userDataTables(schema);
  await documentTables(schema);
}

async function userGroupTables(schema: SchemaModule): Promise<void> {
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

async function userDataTables(schema: SchemaModule): Promise<void> {
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

async function documentTables(schema: SchemaModule): Promise<void> {
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
