/**
 * How the time of an operation grows with the number of users in an organization, as a ratio to the time at the first size.
 *
 *     node test/bench/scale.ts 100000 1000000 [--store postgres://…] [--plans] [--folder <path>]
 *
 * Without `--store`, measures SQLite, and PostgreSQL where it is installed. An organization of N users has N/10 documents, N/100
 * folders with 10 subfolders each, N/100 groups of 10 users, and a group of N/2 users. `--plans` prints the plan of each
 * statement; without it, only those that read a whole organization. The URL must name an empty database. Operations that by
 * definition read the whole organization are not measured: see docs/scale.md.
 */
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { type RawBuilder, sql } from 'kysely';
import { Client } from 'pg';
import { systemClock } from '../../src/kernel/clock.ts';
import { createReader } from '../../src/service/development/reading/reader.ts';
import { openEmbedded } from '../../src/service/embedded.ts';
import { createPageToken } from '../../src/service/page-token.ts';
import { startCluster } from '../postgres/cluster.ts';

const ROUNDS = 31;
const WARM_UP = 5;
const BATCH = 100;
const CHUNK = 100_000;
/** Added to numbers, so that IDs have the same length and are sorted like the numbers. */
const BASE = 1_000_000_000;

type Service = Awaited<ReturnType<typeof openService>>;
type Operation = (service: Service) => Promise<unknown>;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { store: { type: 'string' }, plans: { type: 'boolean' }, folder: { type: 'string' } },
});
const sizes = positionals.map(Number);
if (sizes.length === 0 || !sizes.every((size) => size >= 10_000 && size % 1_000 === 0))
  throw new Error('sizes are multiples of 1,000, and at least 10,000');

/** Uses one schema of the database for each size. */
async function comparePostgres(store: string): Promise<void> {
  const client = new Client(store);
  await client.connect();
  for (const size of sizes) await client.query(`create schema "users${size}"`);
  await client.end();
  const separator = store.includes('?') ? '&' : '?';
  await compare('PostgreSQL', (size) => `${store}${separator}options=-csearch_path%3Dusers${size}`);
}

async function compare(database: string, locationOf: (size: number) => string): Promise<void> {
  const services: Service[] = [];
  for (const size of sizes) {
    const start = performance.now();
    const service = await openService(locationOf(size), size);
    await fill(service);
    services.push(service);
    console.log(
      `${database}: filled ${size.toLocaleString('en-US')} users in ${((performance.now() - start) / 1_000).toFixed(0)} s`,
    );
  }
  console.log(['operation'.padEnd(42), ...sizes.map((size) => `${size.toLocaleString('en-US')} users`.padStart(24))].join(''));
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    const times = await measure(services, operation);
    const cells = times.map((time) => `${time.toFixed(2)} ms ${(time / (times[0] ?? time)).toFixed(2)}x`.padStart(24));
    console.log([name.padEnd(42), ...cells].join(''));
  }
  for (const service of services) await service.close();
  await explainAll(database, locationOf(sizes.at(-1) ?? 0), sizes.at(-1) ?? 0);
}

/**
 * Measures the first quartile, in milliseconds. Alternates between the sizes, so that other load on the machine affects all
 * of them.
 */
async function measure(services: readonly Service[], operation: Operation): Promise<readonly number[]> {
  const times = services.map(() => [] as number[]);
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const [at, service] of services.entries()) {
      const start = performance.now();
      await operation(service);
      if (round >= 0) times[at]?.push(performance.now() - start);
    }
  }
  return times.map((all) => all.toSorted((a, b) => a - b)[ROUNDS >> 2] ?? 0);
}

async function openService(location: string, size: number) {
  const { fetch, close, target, development } = await openEmbedded(location, { clock: systemClock });
  const { apiKey, authToken } = target.key;
  const headers = { 'content-type': 'application/json', 'x-svc-api-key': apiKey, 'x-svc-auth-token': authToken };
  const any = (prefix: string, count: number) => `${prefix}${BASE + randomInt(count)}`;
  return {
    size,
    store: development.store,
    apiKey,
    reader: createReader(development),
    call: async (path: string, data: object) => {
      const body = JSON.stringify({ data: { organizationId: 'acme', ...data } });
      const response = await fetch(`http://localhost${path}`, { method: 'POST', headers, body });
      if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
      return response;
    },
    user: () => any('u', size),
    document: () => any('d', size / 10),
    folder: () => any('f', size / 100),
    group: () => any('g', size / 100),
    /** New IDs, between existing ones. */
    newIds: (prefix: string, count: number, total = size) =>
      Array.from({ length: count }, () => `${any(prefix, total)}-${randomInt(2 ** 40)}`),
    close,
  };
}

/** Operations by name, with a batch of 100 records where an operation takes several. */
const OPERATIONS: Readonly<Record<string, Operation>> = {
  'add 100 users': ({ call, newIds }) =>
    call('/v1/users/add', {
      users: newIds('u', BATCH).map((userId) => ({ userId, name: 'Ada', email: `${userId}@example.com` })),
    }),
  'add 100 users to a folder': ({ call, folder, user }) =>
    call('/v2/users/add', {
      folderId: folder(),
      users: Array.from({ length: BATCH }, () => ({ userId: user(), accessRole: 'viewer' })),
    }),
  'update 100 users': ({ call, user }) =>
    call('/v1/users/update', { users: Array.from({ length: BATCH }, () => ({ userId: user(), name: 'Grace' })) }),
  'add permissions of a user': ({ call, user, document }) => {
    const resource = { type: 'document', id: document(), organizationId: 'acme', accessRole: 'viewer' };
    return call('/v2/auth/permissions/add', { user: { userId: user() }, permissions: { resources: [resource] } });
  },
  'get data of a user': ({ call, user }) => call('/v1/users/data/get', { userId: user() }),
  'notify 100 users who have access': ({ call, user, document }) => {
    const name = { userId: user() };
    return call('/v2/notifications/add', {
      ...{ documentId: document(), notificationId: `n${randomInt(2 ** 40)}`, actionUser: name },
      ...{ verifyUserPermissions: true, notifyAll: false, isNotificationResolverUsed: false },
      displayHeadlineMessageTemplate: '{actionUser} did it',
      displayHeadlineMessageTemplateData: { actionUser: name, recipientUser: name },
      displayBodyMessage: 'body',
      notifyUsers: Array.from({ length: BATCH }, () => ({ userId: user() })),
    });
  },
  'add 10 groups': ({ call, newIds }) =>
    call('/v2/organizations/usergroups/add', {
      organizationUserGroups: newIds('g', 10).map((groupId) => ({ groupId, groupName: groupId })),
    }),
  'add 100 users to a group': ({ call, group, user }) =>
    call('/v2/organizations/usergroups/users/add', {
      organizationUserGroupId: group(),
      userIds: Array.from({ length: BATCH }, user),
    }),
  'add 100 users to the largest group': ({ call, user }) =>
    call('/v2/organizations/usergroups/users/add', {
      organizationUserGroupId: 'everyone',
      userIds: Array.from({ length: BATCH }, user),
    }),
  'add 10 folders': ({ call, folder, newIds }) => {
    const parentFolderId = folder();
    return call('/v2/organizations/folders/add', {
      folders: newIds('f', 10).map((folderId) => ({ folderId, parentFolderId })),
    });
  },
  'rename a folder': ({ call, folder }) =>
    call('/v2/organizations/folders/update', { folders: [{ folderId: folder(), folderName: 'Plans' }] }),
  'move a folder': ({ call, size }) => {
    const leaf = size / 100 - 1 - randomInt(size / 200);
    return call('/v2/organizations/folders/update', {
      folders: [{ folderId: `f${BASE + leaf}`, parentFolderId: `f${BASE + 1 + randomInt(9)}` }],
    });
  },
  'list a folder': ({ call, size }) =>
    call('/v2/organizations/folders/get', { folderId: `f${BASE + 20 + randomInt(Math.floor(size / 1_100))}` }),
  'add 100 documents': ({ call, folder, newIds, size }) =>
    call('/v1/organizations/documents/add', {
      folderId: folder(),
      documents: newIds('d', BATCH, size / 10).map((documentId) => ({ documentId })),
    }),
  'list the first page of documents': ({ call }) => call('/v2/organizations/documents/get', { pageSize: BATCH }),
  'list a page of documents in the middle': ({ call, size }) =>
    call('/v2/organizations/documents/get', { pageSize: BATCH, pageToken: createPageToken('documents', size / 20) }),
  'list the documents of a folder': ({ call, folder }) =>
    call('/v2/organizations/documents/get', { pageSize: BATCH, folderId: folder() }),
  'svc local list users': ({ reader }) => reader.list('users', { organization: 'acme' }),
  'svc local list members': ({ reader }) => reader.list('members', { organization: 'acme' }),
  'svc local list permissions': ({ reader }) => reader.list('permissions', { organization: 'acme' }),
  'svc local list group-members': ({ reader }) => reader.list('group-members', { organization: 'acme' }),
  'svc local explain': ({ reader, user, document }) =>
    reader.explain({ user: user(), document: document(), organization: 'acme' }),
};

/** Adds the records with SQL, which is faster than calls. */
async function fill({ store, apiKey, size }: Service): Promise<void> {
  const run = (statement: RawBuilder<unknown>) => store.write(async (database) => void (await statement.execute(database)));
  const table = (name: string) => sql.raw(name);
  /** Inserts a row for each number `i` below `count`. */
  const insert = async (into: string, count: number, values: string) => {
    for (let from = 0; from < count; from += CHUNK) {
      const [first, last] = [from, Math.min(count, from + CHUNK) - 1];
      await run(sql`insert into ${table(into)} with recursive numbers(i) as
        (select ${sql.lit(first)} union all select i + 1 from numbers where i < ${sql.lit(last)})
        select ${sql.raw(values)} from numbers`);
    }
  };
  const id = (prefix: string, number = 'i') => `'${prefix}' || (${BASE} + ${number})`;
  const [folders, documents, groups] = [size / 100, size / 10, size / 100];
  await run(sql`insert into organizations ("key", "apiKey", "organizationId", "createdAt") values (1, ${apiKey}, 'acme', 1)`);
  await insert(
    'users ("organization", "userId", "id", "name", "email")',
    size,
    `1, ${id('u')}, 'x' || i, 'User ' || i, 'u' || i || '@example.com'`,
  );
  await insert(
    'members ("organization", "level", "resourceId", "userId", "addedAt")',
    size,
    `1, 'organization', '', ${id('u')}, 1`,
  );
  await fillFolders(run, folders);
  await insert(
    'documents ("key", "organization", "documentId", "id", "documentName", "folderId", "createdAt")',
    documents,
    `i + 1, 1, ${id('d')}, 'x' || i, 'Document ' || i, ${id('f', `i % ${folders}`)}, 1`,
  );
  await insert(
    'members ("organization", "level", "resourceId", "userId", "accessRole", "addedAt")',
    documents,
    `1, 'document', ${id('d')}, ${id('u')}, 'viewer', 1`,
  );
  await insert('"userGroups" ("organization", "groupId")', groups, `1, ${id('g')}`);
  await run(sql`insert into "userGroups" ("organization", "groupId") values (1, 'everyone')`);
  await insert('"userGroupMembers"', size / 10, `1, ${id('g', `i % ${groups}`)}, ${id('u')}`);
  await insert('"userGroupMembers"', size / 2, `1, 'everyone', ${id('u')}`);
  if (store.peers) {
    await run(sql`select setval(pg_get_serial_sequence('documents', 'key'), ${sql.lit(documents)})`);
    await run(sql`select setval(pg_get_serial_sequence('organizations', 'key'), 1)`);
    // A server analyzes its tables in the background.
    await run(sql`analyze`);
  }
}

async function fillFolders(run: (statement: RawBuilder<unknown>) => Promise<void>, count: number): Promise<void> {
  const ancestors: (readonly string[])[] = [];
  for (let from = 0; from < count; from += 500) {
    const rows = Array.from({ length: Math.min(500, count - from) }, (_, index) => {
      const at = from + index;
      const parent = Math.floor((at - 1) / 10);
      ancestors[at] = at === 0 ? ['root'] : [...(ancestors[parent] ?? []), `f${BASE + parent}`];
      const parentFolderId = at === 0 ? 'root' : `f${BASE + parent}`;
      return sql`(1, ${sql.lit(`f${BASE + at}`)}, ${sql.lit(parentFolderId)}, ${sql.lit(JSON.stringify(ancestors[at]))}, 'organizationPrivate', 1, 1, 1)`;
    });
    await run(sql`insert into folders ("organization", "folderId", "parentFolderId", "ancestors", "accessType",
      "inheritAccessFromParent", "createdAt", "lastUpdated") values ${sql.join(rows)}`);
  }
}

/** Runs each operation once, and prints the plans of its statements. */
async function explainAll(database: string, location: string, size: number): Promise<void> {
  const statements = new Map<string, readonly unknown[]>();
  const record = (text: unknown, values: unknown) => {
    if (typeof text === 'string' && /^(select|insert|update|delete|with)\b/i.test(text))
      statements.set(text, Array.isArray(values) ? values : []);
  };
  const isSqlite = database === 'SQLite';
  const [prototype, method] = isSqlite
    ? ([DatabaseSync.prototype, 'prepare'] as const)
    : ([Client.prototype, 'query'] as const);
  const original = Reflect.get(prototype, method) as (...values: unknown[]) => unknown;
  Reflect.set(prototype, method, function (this: unknown, query: unknown, ...rest: unknown[]) {
    const { text = query, values = rest[0] } = Object(query);
    record(text, values);
    return original.call(this, query, ...rest);
  });
  const service = await openService(location, size);
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    statements.clear();
    await operation(service);
    const found = [...statements];
    for (const [text, values] of found) {
      const lines = isSqlite ? explainSqlite(location, text) : await explainPostgres(location, text, values);
      if (options.plans || readsOrganization(text, lines))
        console.log(`\n${name}: ${text.slice(0, 200)}\n${lines.map((line) => `  ${line}`).join('\n')}`);
    }
  }
  Reflect.set(prototype, method, original);
  await service.close();
}

/** Whether a statement reads or sorts all rows of an organization. */
function readsOrganization(text: string, plan: readonly string[]): boolean {
  const isWhole = (line: string) =>
    /(SCAN|Seq Scan on) "?(users|members|folders|documents|userGroups|userGroupMembers|presence|activities)\b/.test(line);
  const isPart = / limit \d/.test(text) && !plan.some((line) => line.includes('TEMP B-TREE'));
  return plan.some((line) => isWhole(line) || (line.endsWith('(organization=?)') && !isPart && !text.startsWith('insert')));
}

function explainSqlite(location: string, text: string): readonly string[] {
  const database = new DatabaseSync(location, { readOnly: true });
  try {
    return database
      .prepare(`explain query plan ${text}`)
      .all()
      .map(({ detail }) => String(detail));
  } finally {
    database.close();
  }
}

async function explainPostgres(location: string, text: string, values: readonly unknown[]): Promise<readonly string[]> {
  const client = new Client(location);
  await client.connect();
  try {
    const { rows } = await client.query(`explain (costs off) ${text}`, [...values]);
    return rows.map((row: Record<string, string>) => String(row['QUERY PLAN']));
  } finally {
    await client.end();
  }
}

if (options.store === undefined) {
  const folder = mkdtempSync(join(options.folder ?? tmpdir(), 'svc-bench-'));
  await compare('SQLite', (size) => join(folder, `${size}.sqlite`)).finally(() => rmSync(folder, { recursive: true }));
  const cluster = await startCluster();
  if (!cluster) console.log('PostgreSQL: skipped, it is not installed');
  else await comparePostgres(cluster.url('postgres')).finally(() => cluster.remove());
} else {
  await comparePostgres(options.store);
}
