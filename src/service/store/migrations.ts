import { type SchemaModule, sql } from 'kysely';
import { createTable, KEY, optional, reference, required, TEXT_KEY, UNIQUE_TEXT } from './create-table.ts';
import type { Database } from './store.ts';

/** Migrations, each from the previous version to the next. Released migrations must not change. */
export const MIGRATIONS: readonly ((database: Database) => Promise<void>)[] = [
  createInitialTables,
  ({ schema }) => createDeliveryTables(schema),
  ({ schema }) => schema.alterTable('endpoints').addColumn('begun', 'text').execute(),
];

/** Upgrades a store (default: to the newest version). The transaction must exclude other writers. */
export async function migrate(database: Database, target = MIGRATIONS.length): Promise<void> {
  await database.schema
    .createTable('schemaVersion')
    .ifNotExists()
    .addColumn('version', 'integer', (column) => column.notNull())
    .execute();
  const found = await database.selectFrom('schemaVersion').select('version').executeTakeFirst();
  const from = found?.version ?? 0;
  for (const step of MIGRATIONS.slice(from, target)) await step(database);
  if (!found) await database.insertInto('schemaVersion').values({ version: target }).execute();
  else if (from < target) await database.updateTable('schemaVersion').set({ version: target }).execute();
}

async function createInitialTables({ schema }: Database): Promise<void> {
  await createWorkspaceTables(schema);
  await createOrganizationTables(schema);
  await createUserTables(schema);
  await createUserDataTables(schema);
  await createActivityTables(schema);
  await createKeyTables(schema);
  await createTable(schema, 'editors', {
    organization: ORGANIZATION,
    ...required('text', 'documentId', 'editorId', 'state', 'types', 'contentKey'),
    ...required('bigint', 'lastUpdate'),
    ...optional('text', 'lastUpdatedBy', 'sessionId'),
  })
    .addPrimaryKeyConstraint('editorKey', ['organization', 'documentId', 'editorId'])
    .execute();
}

const ORGANIZATION = reference('integer', 'organizations.key');
const API_KEY = reference('text', 'apiKeys.id');

async function createWorkspaceTables(schema: SchemaModule): Promise<void> {
  await createTable(schema, 'workspaces', {
    key: KEY,
    id: UNIQUE_TEXT,
    ...required('text', 'name', 'ownerId', 'ownerName', 'ownerEmail', 'ownerAvatar', 'authToken', 'signingKey'),
  }).execute();
  await createTable(schema, 'apiKeys', {
    id: TEXT_KEY,
    workspaceId: reference('text', 'workspaces.id'),
    ...required('text', 'apiKeyName', 'type'),
  }).execute();
  await createTable(schema, 'authTokens', { apiKey: API_KEY, ...required('text', 'token', 'name', 'domains') })
    .addPrimaryKeyConstraint('authTokenKey', ['apiKey', 'token'])
    .execute();
}

async function createOrganizationTables(schema: SchemaModule): Promise<void> {
  await createTable(schema, 'organizations', {
    ...{ key: KEY, apiKey: API_KEY },
    ...required('text', 'organizationId'),
    ...optional('text', 'organizationName', 'otherFields'),
    ...required('bigint', 'createdAt'),
  })
    .addUniqueConstraint('organizationKey', ['apiKey', 'organizationId'])
    .execute();
  await createTable(schema, 'folders', {
    organization: ORGANIZATION,
    ...required('text', 'folderId'),
    ...optional('text', 'folderName'),
    ...required('text', 'parentFolderId', 'ancestors', 'accessType'),
    ...required('integer', 'inheritAccessFromParent'),
    ...required('bigint', 'createdAt', 'lastUpdated'),
  })
    .addPrimaryKeyConstraint('folderKey', ['organization', 'folderId'])
    .execute();
  await schema.createIndex('foldersByParent').on('folders').columns(['organization', 'parentFolderId']).execute();
  await createTable(schema, 'documents', {
    ...{ key: KEY, organization: ORGANIZATION },
    ...required('text', 'documentId', 'id'),
    ...optional('text', 'documentName', 'folderId'),
    disabled: ['integer', (column) => column.notNull().defaultTo(0)],
    accessType: ['text', (column) => column.notNull().defaultTo(sql.lit('public'))],
    ...required('bigint', 'createdAt'),
  })
    .addUniqueConstraint('documentKey', ['organization', 'documentId'])
    .addForeignKeyConstraint('documentFolder', ['organization', 'folderId'], 'folders', ['organization', 'folderId'])
    .execute();
  await schema.createIndex('documentsInOrder').on('documents').columns(['organization', 'key']).execute();
  await schema.createIndex('documentsByFolder').on('documents').columns(['organization', 'folderId', 'key']).execute();
}

async function createUserTables(schema: SchemaModule): Promise<void> {
  await createTable(schema, 'users', {
    organization: ORGANIZATION,
    ...required('text', 'userId', 'id'),
    ...optional('text', 'name', 'email', 'initial', 'otherFields'),
  })
    .addPrimaryKeyConstraint('userKey', ['organization', 'userId'])
    .execute();
  await createTable(schema, 'members', {
    ...required('integer', 'organization'),
    ...required('text', 'level', 'resourceId', 'userId'),
    ...optional('text', 'accessRole'),
    ...optional('bigint', 'expiresAt'),
    ...required('bigint', 'addedAt'),
  })
    .addPrimaryKeyConstraint('memberKey', ['organization', 'level', 'resourceId', 'userId'])
    .addForeignKeyConstraint('memberUser', ['organization', 'userId'], 'users', ['organization', 'userId'])
    .execute();
  await createTable(schema, 'userGroups', {
    organization: ORGANIZATION,
    ...required('text', 'groupId'),
    ...optional('text', 'groupName', 'otherFields'),
  })
    .addPrimaryKeyConstraint('userGroupKey', ['organization', 'groupId'])
    .execute();
  await createTable(schema, 'userGroupMembers', {
    ...required('integer', 'organization'),
    ...required('text', 'groupId', 'userId'),
  })
    .addPrimaryKeyConstraint('userGroupMemberKey', ['organization', 'groupId', 'userId'])
    .addForeignKeyConstraint('memberOfGroup', ['organization', 'groupId'], 'userGroups', ['organization', 'groupId'])
    .addForeignKeyConstraint('userInGroup', ['organization', 'userId'], 'users', ['organization', 'userId'])
    .execute();
}

async function createUserDataTables(schema: SchemaModule): Promise<void> {
  await createTable(schema, 'userData', {
    ...{ key: KEY, organization: ORGANIZATION },
    ...required('text', 'feature'),
    ...optional('text', 'notificationId', 'documentId'),
    ...required('text', 'data'),
  }).execute();
  const index = schema.createIndex('userDataByNotification').on('userData');
  await index.columns(['organization', 'notificationId']).execute();
  await createTable(schema, 'participants', {
    ...required('integer', 'organization'),
    ...required('text', 'userId', 'feature'),
    item: reference('integer', 'userData.key'),
  })
    .addPrimaryKeyConstraint('participantKey', ['organization', 'userId', 'feature', 'item'])
    .execute();
}

async function createActivityTables(schema: SchemaModule): Promise<void> {
  await createTable(schema, 'activities', {
    ...{ key: KEY, organization: ORGANIZATION },
    ...required('text', 'activityId', 'documentId', 'data'),
    ...required('bigint', 'createdAt', 'lastUpdated'),
  })
    .addUniqueConstraint('activityKey', ['organization', 'activityId'])
    .execute();
  await createTable(schema, 'presence', {
    organization: ORGANIZATION,
    ...required('text', 'documentId', 'userId'),
    ...optional('text', 'name', 'email', 'status', 'otherFields'),
    ...required('bigint', 'lastUpdated'),
  })
    .addPrimaryKeyConstraint('presenceKey', ['organization', 'documentId', 'userId'])
    .execute();
}

async function createKeyTables(schema: SchemaModule): Promise<void> {
  await createTable(schema, 'configs', { apiKey: API_KEY, ...required('text', 'service', 'config') })
    .addPrimaryKeyConstraint('configKey', ['apiKey', 'service'])
    .execute();
  await createTable(schema, 'endpoints', {
    ...{ key: KEY, apiKey: API_KEY, id: UNIQUE_TEXT },
    ...required('text', 'url'),
    ...optional('text', 'description', 'filterTypes', 'channels'),
    ...required('integer', 'disabled'),
    ...optional('integer', 'rateLimit'),
    ...optional('text', 'uid', 'metadata'),
    ...required('text', 'secret'),
    ...required('bigint', 'createdAt', 'updatedAt'),
  })
    .addUniqueConstraint('endpointUid', ['apiKey', 'uid'])
    .execute();
  await schema.createIndex('endpointsInOrder').on('endpoints').columns(['apiKey', 'key']).execute();
  await createTable(schema, 'agents', { key: KEY, apiKey: API_KEY, ...required('text', 'agentId', 'agent') })
    .addUniqueConstraint('agentKey', ['apiKey', 'agentId'])
    .execute();
  await createTable(schema, 'agentGroups', {
    ...{ key: KEY, apiKey: API_KEY },
    ...required('text', 'groupId', 'agentIds', 'agentGroup'),
  })
    .addUniqueConstraint('agentGroupKey', ['apiKey', 'groupId'])
    .execute();
  await createTable(schema, 'documentMigrations', {
    ...{ migrationId: TEXT_KEY, apiKey: API_KEY },
    ...required('text', 'organizationId', 'documentId', 'newDocumentId', 'status'),
    ...required('bigint', 'createdAt'),
  }).execute();
  await schema.createIndex('documentMigrationsByStatus').on('documentMigrations').column('status').execute();
}

async function createDeliveryTables(schema: SchemaModule): Promise<void> {
  await createTable(schema, 'deliveries', {
    ...{ key: KEY, id: UNIQUE_TEXT, apiKey: API_KEY },
    ...required('text', 'form', 'lane', 'event'),
    ...optional('text', 'payload'),
    ...required('integer', 'size'),
    ...required('text', 'state', 'attempts'),
    ...required('integer', 'tries'),
    ...optional('bigint', 'dueAt'),
    ...optional('text', 'owner'),
    ...required('bigint', 'createdAt'),
  }).execute();
  const due = schema.createIndex('deliveriesDue').on('deliveries').columns(['lane', 'dueAt', 'key']);
  await due.where(sql.ref('dueAt'), 'is not', null).execute();
  const ended = schema.createIndex('deliveriesEnded').on('deliveries').columns(['state', 'key']);
  await ended.where(sql.ref('dueAt'), 'is', null).execute();
  await schema.alterTable('endpoints').addColumn('failingSince', 'bigint').execute();
}
