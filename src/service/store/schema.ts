import { sql } from 'kysely';
import { SvcError } from '../../kernel/errors.ts';
import { columnTypesOf } from './sharing.ts';
import type { Database, Store } from './store.ts';

export const SCHEMA_VERSION = 7;

/**
 * Creates or upgrades the tables.
 * @throws SvcError `local` if the store was written by a newer svc
 */
export async function upgradeStore(
  store: Store,
  name: string,
  isMissingTable: (error: unknown) => boolean,
): Promise<void> {
  const found = await store.read(readVersion).catch((error) => {
    if (isMissingTable(error)) return undefined;
    throw error;
  });
  const version = found ?? 0;
  if (version > SCHEMA_VERSION) {
    throw new SvcError('local', `the store ${name} was written by a newer svc`, {
      hint: 'update svc, or choose another store with --store',
    });
  }
  if (version < SCHEMA_VERSION) {
    await store.write((database) => migrate(database));
  }
}

/** Returns the version of the store; `undefined` if it has none yet. */
async function readVersion(database: Database): Promise<number | undefined> {
  const found = await database.selectFrom('schemaVersion').select('version').executeTakeFirst();
  return found?.version;
}

const API_KEY = '"apiKey" text not null references "apiKeys" ("id")';
const ORGANIZATION = '"organization" integer not null references "organizations" ("key")';

const INITIAL_TABLES = `
create table "workspaces" ("key" integer primary key, "id" text not null unique, "name" text not null,
  "ownerId" text not null, "ownerName" text not null, "ownerEmail" text not null, "ownerAvatar" text not null,
  "authToken" text not null, "signingKey" text not null);
create table "apiKeys" ("id" text not null primary key,
  "workspaceId" text not null references "workspaces" ("id"), "apiKeyName" text not null, "type" text not null);
create table "authTokens" (${API_KEY}, "token" text not null, "name" text not null, "domains" text not null,
  constraint "authTokenKey" primary key ("apiKey", "token"));
create table "organizations" ("key" integer primary key, ${API_KEY}, "organizationId" text not null,
  "organizationName" text, "otherFields" text, "createdAt" bigint not null,
  constraint "organizationKey" unique ("apiKey", "organizationId"));
create table "folders" (${ORGANIZATION}, "folderId" text not null, "folderName" text,
  "parentFolderId" text not null, "ancestors" text not null, "accessType" text not null,
  "inheritAccessFromParent" integer not null, "createdAt" bigint not null, "lastUpdated" bigint not null,
  constraint "folderKey" primary key ("organization", "folderId"));
create index "foldersByParent" on "folders" ("organization", "parentFolderId");
create table "documents" ("key" integer primary key, ${ORGANIZATION}, "documentId" text not null,
  "id" text not null, "documentName" text, "folderId" text, "disabled" integer default 0 not null,
  "accessType" text default 'public' not null, "createdAt" bigint not null,
  constraint "documentKey" unique ("organization", "documentId"),
  constraint "documentFolder" foreign key ("organization", "folderId") references "folders" ("organization", "folderId"));
create index "documentsInOrder" on "documents" ("organization", "key");
create index "documentsByFolder" on "documents" ("organization", "folderId", "key");
create table "users" (${ORGANIZATION}, "userId" text not null, "id" text not null, "name" text, "email" text,
  "initial" text, "otherFields" text, constraint "userKey" primary key ("organization", "userId"));
create table "members" ("organization" integer not null, "level" text not null, "resourceId" text not null,
  "userId" text not null, "accessRole" text, "expiresAt" bigint, "addedAt" bigint not null,
  constraint "memberKey" primary key ("organization", "level", "resourceId", "userId"),
  constraint "memberUser" foreign key ("organization", "userId") references "users" ("organization", "userId"));
create table "userGroups" (${ORGANIZATION}, "groupId" text not null, "groupName" text, "otherFields" text,
  constraint "userGroupKey" primary key ("organization", "groupId"));
create table "userGroupMembers" ("organization" integer not null, "groupId" text not null, "userId" text not null,
  constraint "userGroupMemberKey" primary key ("organization", "groupId", "userId"),
  constraint "memberOfGroup" foreign key ("organization", "groupId") references "userGroups" ("organization", "groupId"),
  constraint "userInGroup" foreign key ("organization", "userId") references "users" ("organization", "userId"));
create table "userData" ("key" integer primary key, ${ORGANIZATION}, "feature" text not null,
  "notificationId" text, "documentId" text, "data" text not null);
create index "userDataByNotification" on "userData" ("organization", "notificationId");
create table "participants" ("organization" integer not null, "userId" text not null, "feature" text not null,
  "item" integer not null references "userData" ("key"),
  constraint "participantKey" primary key ("organization", "userId", "feature", "item"));
create table "activities" ("key" integer primary key, ${ORGANIZATION}, "activityId" text not null,
  "documentId" text not null, "data" text not null, "createdAt" bigint not null, "lastUpdated" bigint not null,
  constraint "activityKey" unique ("organization", "activityId"));
create table "presence" (${ORGANIZATION}, "documentId" text not null, "userId" text not null, "name" text,
  "email" text, "status" text, "otherFields" text, "lastUpdated" bigint not null,
  constraint "presenceKey" primary key ("organization", "documentId", "userId"));
create table "configs" (${API_KEY}, "service" text not null, "config" text not null,
  constraint "configKey" primary key ("apiKey", "service"));
create table "endpoints" ("key" integer primary key, ${API_KEY}, "id" text not null unique, "url" text not null,
  "description" text, "filterTypes" text, "channels" text, "disabled" integer not null, "rateLimit" integer,
  "uid" text, "metadata" text, "secret" text not null, "createdAt" bigint not null, "updatedAt" bigint not null,
  constraint "endpointUid" unique ("apiKey", "uid"));
create index "endpointsInOrder" on "endpoints" ("apiKey", "key");
create table "agents" ("key" integer primary key, ${API_KEY}, "agentId" text not null, "agent" text not null,
  constraint "agentKey" unique ("apiKey", "agentId"));
create table "agentGroups" ("key" integer primary key, ${API_KEY}, "groupId" text not null,
  "agentIds" text not null, "agentGroup" text not null, constraint "agentGroupKey" unique ("apiKey", "groupId"));
create table "documentMigrations" ("migrationId" text not null primary key, ${API_KEY},
  "organizationId" text not null, "documentId" text not null, "newDocumentId" text not null,
  "status" text not null, "createdAt" bigint not null);
create index "documentMigrationsByStatus" on "documentMigrations" ("status");
create table "editors" (${ORGANIZATION}, "documentId" text not null, "editorId" text not null,
  "state" text not null, "types" text not null, "contentKey" text not null, "lastUpdate" bigint not null,
  "lastUpdatedBy" text, "sessionId" text, constraint "editorKey" primary key ("organization", "documentId", "editorId"))`;

const DELIVERY_TABLES = `
create table "deliveries" ("key" integer primary key, "id" text not null unique, ${API_KEY}, "form" text not null,
  "lane" text not null, "event" text not null, "payload" text, "size" integer not null, "state" text not null,
  "attempts" text not null, "tries" integer not null, "dueAt" bigint, "owner" text, "createdAt" bigint not null);
create index "deliveriesDue" on "deliveries" ("lane", "dueAt", "key") where "dueAt" is not null;
create index "deliveriesEnded" on "deliveries" ("state", "key") where "dueAt" is null;
alter table "endpoints" add column "failingSince" bigint`;

/**
 * Adds the reason of failures. The last line of `attempts` tells the reason of earlier failures;
 * `_` in the patterns also matches its line break.
 */
const FAILURE_COLUMNS = `
alter table "deliveries" add column "reason" text;
alter table "deliveries" add column "retryPeriod" bigint;
alter table "endpoints" add column "failingReason" text;
update "deliveries" set "reason" = case
  when "attempts" like '%"status":4__,"error":null}_' then 'http 4xx'
  when "attempts" like '%"status":5__,"error":null}_' then 'http 5xx'
  when "attempts" like '%"status":3__,"error":"%"}_' then 'redirect'
  when "attempts" like '%"error":"not sent: %"}_' then 'stopped'
  when "attempts" like '%"error":"connection refused"}_' then 'connection refused'
  when "attempts" like '%"error":"no response within % s"}_' then 'timeout'
  when "attempts" like '%"error":"the connection timed out"}_' then 'timeout'
  when "attempts" like '%"error":"the connection was reset"}_' then 'reset'
  when "attempts" like '%"error":"the connection was closed%"}_' then 'reset'
  when "attempts" like '%"error":"unknown host name"}_' then 'dns'
  when "attempts" like '%"error":"the host name could not be resolved"}_' then 'dns'
  when "attempts" like '%"error":"the certificate %"}_' then 'tls'
  when "attempts" like '%"error":"%TLS%"}_' then 'tls'
  else 'other' end
where "attempts" <> '' and "state" <> 'delivered'`;

/**
 * Migrations in SQL, each from the previous version to the next. Released migrations must not
 * change.
 */
export const MIGRATIONS = [
  INITIAL_TABLES,
  DELIVERY_TABLES,
  'alter table "endpoints" add column "begun" text',
  `create table "development" ("name" text not null primary key, "value" text not null);
  create table "issuedTokens" ("expiresAt" bigint not null primary key, "count" integer not null)`,
  'alter table "deliveries" add column "trace" text',
  'create index "participantsByItem" on "participants" ("item")',
  FAILURE_COLUMNS,
];

/**
 * Upgrades a store (default: to the newest version). The transaction must exclude other writers.
 */
export async function migrate(database: Database, target = MIGRATIONS.length): Promise<void> {
  await run(database, 'create table if not exists "schemaVersion" ("version" integer not null)');
  const found = await readVersion(database);
  const from = found ?? 0;
  for (const migration of MIGRATIONS.slice(from, target)) await run(database, migration);
  if (found === undefined)
    await database.insertInto('schemaVersion').values({ version: target }).execute();
  else if (from < target)
    await database.updateTable('schemaVersion').set({ version: target }).execute();
}

/** Runs statements. Replaces SQLite's column types with those of the database. */
async function run(database: Database, statements: string): Promise<void> {
  const types = columnTypesOf(database);
  const translated = statements.replace(
    /\b(integer primary key|integer|bigint|text)\b/g,
    (type) => types[type] ?? type,
  );
  for (const statement of translated.split(';')) await sql.raw(statement).execute(database);
}
