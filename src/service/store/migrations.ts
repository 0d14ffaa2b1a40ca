import { sql } from 'kysely';
import { createCollaborationTables } from './collaboration-tables.ts';
import { createCrdtTables } from './crdt-tables.ts';
import { addStartsColumn, createDeliveryTables } from './delivery-tables.ts';
import { createKeyTables } from './key-tables.ts';
import type { Database } from './store.ts';

/** Each entry upgrades a store from the previous version to its own. Released entries never change. */
export const MIGRATIONS: readonly ((database: Database) => Promise<void>)[] = [
  createInitialTables,
  ({ schema }) => createDeliveryTables(schema),
  ({ schema }) => addStartsColumn(schema),
];

/** Upgrades a store to the target version (default: the newest). Must run in a transaction that excludes other writers. */
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
  await createCollaborationTables(schema);
  await createKeyTables(schema);
  await createCrdtTables(schema);
}

type Schema = Database['schema'];

async function createWorkspaceTables(schema: Schema): Promise<void> {
  await schema
    .createTable('workspaces')
    .addColumn('key', 'integer', (column) => column.primaryKey())
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('ownerId', 'text', (column) => column.notNull())
    .addColumn('ownerName', 'text', (column) => column.notNull())
    .addColumn('ownerEmail', 'text', (column) => column.notNull())
    .addColumn('ownerAvatar', 'text', (column) => column.notNull())
    .addColumn('authToken', 'text', (column) => column.notNull())
    .addColumn('signingKey', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createTable('apiKeys')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('workspaceId', 'text', (column) => column.notNull().references('workspaces.id'))
    .addColumn('apiKeyName', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createTable('authTokens')
    .addColumn('apiKey', 'text', (column) => column.notNull().references('apiKeys.id'))
    .addColumn('token', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('domains', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('authTokenKey', ['apiKey', 'token'])
    .execute();
}

async function createOrganizationTables(schema: Schema): Promise<void> {
  await schema
    .createTable('organizations')
    .addColumn('key', 'integer', (column) => column.primaryKey())
    .addColumn('apiKey', 'text', (column) => column.notNull().references('apiKeys.id'))
    .addColumn('organizationId', 'text', (column) => column.notNull())
    .addColumn('organizationName', 'text')
    .addColumn('otherFields', 'text')
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('organizationKey', ['apiKey', 'organizationId'])
    .execute();
  await schema
    .createTable('folders')
    .addColumn('organization', 'integer', (column) => column.notNull().references('organizations.key'))
    .addColumn('folderId', 'text', (column) => column.notNull())
    .addColumn('folderName', 'text')
    .addColumn('parentFolderId', 'text', (column) => column.notNull())
    .addColumn('ancestors', 'text', (column) => column.notNull())
    .addColumn('accessType', 'text', (column) => column.notNull())
    .addColumn('inheritAccessFromParent', 'integer', (column) => column.notNull())
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .addColumn('lastUpdated', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('folderKey', ['organization', 'folderId'])
    .execute();
  await schema.createIndex('foldersByParent').on('folders').columns(['organization', 'parentFolderId']).execute();
  await schema
    .createTable('documents')
    .addColumn('key', 'integer', (column) => column.primaryKey())
    .addColumn('organization', 'integer', (column) => column.notNull().references('organizations.key'))
    .addColumn('documentId', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('documentName', 'text')
    .addColumn('folderId', 'text')
    .addColumn('disabled', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('accessType', 'text', (column) => column.notNull().defaultTo(sql.lit('public')))
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('documentKey', ['organization', 'documentId'])
    .addForeignKeyConstraint('documentFolder', ['organization', 'folderId'], 'folders', ['organization', 'folderId'])
    .execute();
  await schema.createIndex('documentsInOrder').on('documents').columns(['organization', 'key']).execute();
  await schema.createIndex('documentsByFolder').on('documents').columns(['organization', 'folderId', 'key']).execute();
}

async function createUserTables(schema: Schema): Promise<void> {
  await schema
    .createTable('users')
    .addColumn('organization', 'integer', (column) => column.notNull().references('organizations.key'))
    .addColumn('userId', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('name', 'text')
    .addColumn('email', 'text')
    .addColumn('initial', 'text')
    .addColumn('otherFields', 'text')
    .addPrimaryKeyConstraint('userKey', ['organization', 'userId'])
    .execute();
  await schema
    .createTable('members')
    .addColumn('organization', 'integer', (column) => column.notNull())
    .addColumn('level', 'text', (column) => column.notNull())
    .addColumn('resourceId', 'text', (column) => column.notNull())
    .addColumn('userId', 'text', (column) => column.notNull())
    .addColumn('accessRole', 'text')
    .addColumn('expiresAt', 'bigint')
    .addColumn('addedAt', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('memberKey', ['organization', 'level', 'resourceId', 'userId'])
    .addForeignKeyConstraint('memberUser', ['organization', 'userId'], 'users', ['organization', 'userId'])
    .execute();
}
