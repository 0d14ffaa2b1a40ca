/**
 * How the time of an operation grows with an organization: each operation on a store with 100,000
 * users and on a larger one, in turns. Run it with `npm run bench:scale -- 10000000`; the number is
 * the users of the larger store (default: one million). It is filled with SQL, in proportion: a
 * folder and a group for 100 users, a document for 10. Where PostgreSQL is installed, both stores
 * are measured on a server of it too, with a cache of 4 GB. `--plans` prints the plan of each
 * statement as well.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery, sql } from 'kysely';
import { Client } from 'pg';
import { systemClock } from '../../src/kernel/clock.ts';
import { openEmbedded } from '../../src/service/embedded.ts';
import type { DirectAdapter } from '../../src/service/store/prepared-query.ts';
import type { Store } from '../../src/service/store/store.ts';
import { startCluster } from '../postgres/cluster.ts';
import { median } from './median.ts';

const SMALL = 100_000;
const LARGE = Number(process.argv.slice(2).find((word) => /^\d+$/.test(word)) ?? 1_000_000);
const SHOWS_PLANS = process.argv.includes('--plans');
const GOAL = 1.5;
const ROUNDS = 200;
/** Rounds that fill the caches. */
const WARM_UP = 40;
/** Users that a statement of the filling adds. */
const FILL_STEP = 250_000;

const organizationId = 'acme';
const random = (below: number) => Math.floor(Math.random() * below);
const userId = (n: number) => `user-${100_000_000 + n}`;
const folderId = (n: number) => `folder-${100_000_000 + n}`;
const groupId = (n: number) => `group-${100_000_000 + n}`;
const documentId = (n: number) => `document-${100_000_000 + n}`;
const many = <Value>(count: number, create: () => Value) => Array.from({ length: count }, create);

/**
 * Operations by name: the path and the input of a call, for an organization with so many users.
 * `unique` is a new number.
 */
const OPERATIONS: Readonly<
  Record<string, (users: number, unique: number) => readonly [string, object]>
> = {
  'add 100 users': (users, unique) => [
    '/v1/users/add',
    {
      users: many(100, () => ({
        userId: `${userId(random(users))}-${unique}-${random(1e9)}`,
        name: 'Ada',
      })),
    },
  ],
  'update 100 users': (users) => [
    '/v2/users/update',
    {
      users: [...new Set(many(100, () => userId(random(users))))].map((id) => ({
        userId: id,
        name: 'Grace',
      })),
    },
  ],
  "read a user's data": (users) => ['/v1/users/data/get', { userId: userId(random(users)) }],
  'list a page of documents': () => ['/v2/organizations/documents/get', {}],
  'list 30 documents by ID': (users) => [
    '/v2/organizations/documents/get',
    { documentIds: [...new Set(many(30, () => documentId(random(users / 10))))] },
  ],
  'list the documents of a folder': (users) => [
    '/v2/organizations/documents/get',
    { folderId: folderId(random(users / 100)) },
  ],
  'add 10 folders': (users, unique) => [
    '/v2/organizations/folders/add',
    {
      folders: many(10, () => {
        return {
          folderId: `${folderId(random(users / 100))}-${unique}-${random(1e9)}`,
          parentFolderId: folderId(random(users / 100)),
        };
      }),
    },
  ],
  'list a folder': (users) => [
    '/v2/organizations/folders/get',
    { folderId: folderId(random(users / 100)) },
  ],
  'rename a folder': (users, unique) => [
    '/v2/organizations/folders/update',
    { folders: [{ folderId: folderId(random(users / 100)), folderName: `name ${unique}` }] },
  ],
  'move a folder without subfolders': (users) => [
    '/v2/organizations/folders/update',
    {
      folders: [
        {
          folderId: folderId(users / 100 - 1 - random(users / 1_000)),
          parentFolderId: folderId(random(100)),
        },
      ],
    },
  ],
  'add 100 groups': (users, unique) => [
    '/v2/organizations/usergroups/add',
    {
      organizationUserGroups: many(100, () => ({
        groupId: `${groupId(random(users / 100))}-${unique}-${random(1e9)}`,
      })),
    },
  ],
  'add 100 users to a group': (users) => [
    '/v2/organizations/usergroups/users/add',
    {
      organizationUserGroupId: groupId(random(users / 100)),
      userIds: [...new Set(many(100, () => userId(random(users))))],
    },
  ],
  'notify 10 users with access': (users, unique) => [
    '/v2/notifications/add',
    {
      documentId: documentId(random(users / 10)),
      notificationId: `n-${unique}-${random(1e9)}`,
      notifyAll: false,
      displayHeadlineMessageTemplate: 'Hello',
      displayBodyMessage: 'World',
      verifyUserPermissions: true,
      actionUser: { userId: userId(0) },
      notifyUsers: many(10, () => ({ userId: userId(random(users)) })),
    },
  ],
};

const folder = mkdtempSync(join(tmpdir(), 'svc-scale-'));
try {
  console.log('SQLite');
  await compare(join(folder, 'small.sqlite'), join(folder, 'large.sqlite'));
} finally {
  rmSync(folder, { recursive: true });
}
const cluster = await startCluster({ durable: true, sharedBuffers: '4GB' });
if (!cluster) console.log('PostgreSQL: skipped, it is not installed');
else {
  try {
    console.log('PostgreSQL');
    const client = new Client(cluster.url('postgres'));
    await client.connect();
    for (const name of ['small', 'large']) await client.query(`create database ${name}`);
    await client.end();
    await compare(cluster.url('small'), cluster.url('large'));
  } finally {
    await cluster.remove();
  }
}

async function compare(small: string, large: string): Promise<void> {
  const stores = [await openFilled(small, SMALL), await openFilled(large, LARGE)] as const;
  for (const [name, create] of Object.entries(OPERATIONS)) {
    const times = stores.map(() => [] as number[]);
    for (let round = 0; round < ROUNDS + WARM_UP; round++) {
      for (const [at, { call, users }] of stores.entries()) {
        const [path, input] = create(users, round);
        const start = performance.now();
        await call(path, input);
        if (round >= WARM_UP) times[at]?.push(performance.now() - start);
      }
    }
    const [one = 0, other = 0] = times.map(median);
    const ratio = other / one;
    const growth = `${ratio.toFixed(2)}x${ratio > GOAL ? ` (goal ${GOAL}x)` : ''}`;
    console.log(
      `${name.padEnd(34)} ${one.toFixed(2).padStart(7)} ms ${other.toFixed(2).padStart(7)} ms  ${growth}`,
    );
    if (SHOWS_PLANS) await stores[1].showPlans(...create(LARGE, ROUNDS + WARM_UP));
  }
  for (const { close } of stores) await close();
}

async function openFilled(location: string, users: number) {
  const { fetch, target, development, close } = await openEmbedded(location, {
    clock: systemClock,
  });
  const { apiKey, authToken } = target.key;
  const headers = {
    'content-type': 'application/json',
    'x-svc-api-key': apiKey,
    'x-svc-auth-token': authToken,
  };
  const call = async (path: string, input: object) => {
    const body = JSON.stringify({ data: { organizationId, ...input } });
    const response = await fetch(`${target.baseUrl}${path}`, { method: 'POST', headers, body });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${text}`);
  };
  await call('/v2/organizations/add', { organizations: [{ organizationId }] });
  const start = performance.now();
  for (let from = 0; from < users; from += FILL_STEP)
    await fill(development.store, from, Math.min(users, from + FILL_STEP));
  const { store } = development;
  // A PostgreSQL server does so by itself, except for the one of the tests.
  if (store.peers) await store.write((database) => sql`analyze`.execute(database));
  console.log(
    `${users.toLocaleString('en')} users in ${Math.round((performance.now() - start) / 1_000)} s`,
  );
  const shown = new Set<string>();
  const showPlans = async (path: string, input: object) => {
    for (const statement of await captureStatements(store, () => call(path, input))) {
      if (!shown.has(statement.text)) await explain(store, statement);
      shown.add(statement.text);
    }
  };
  return { call, users, showPlans, close };
}

/** Adds users with these numbers, and the folders, groups, and documents in proportion. */
async function fill(store: Store, from: number, to: number): Promise<void> {
  const rows = (table: string, each: number, columns: string, values: string) =>
    sql.raw(`with recursive numbers(n) as (
        select ${from / each} union all select n + 1 from numbers where n + 1 < ${to / each}
      ) insert into "${table}" (${columns}) select ${values} from numbers`);
  const id = (prefix: string, n: string) => `'${prefix}-' || cast(100000000 + ${n} as text)`;
  // Each folder has ten subfolders. The IDs of all ancestors are not needed by the operations.
  const parent = `case when n < 10 then 'root' else ${id('folder', 'n / 10')} end`;
  const statements = [
    rows(
      'users',
      1,
      '"organization", "userId", "id", "name"',
      `1, ${id('user', 'n')}, ${id('id', 'n')}, 'Ada'`,
    ),
    rows(
      'members',
      1,
      '"organization", "level", "resourceId", "userId", "addedAt"',
      `1, 'organization', '', ${id('user', 'n')}, 0`,
    ),
    rows(
      'folders',
      100,
      '"organization", "folderId", "parentFolderId", "ancestors", "accessType", "inheritAccessFromParent", "createdAt", "lastUpdated"',
      `1, ${id('folder', 'n')}, ${parent}, '["root"]', 'public', 1, 0, 0`,
    ),
    rows(
      'documents',
      10,
      '"organization", "documentId", "id", "folderId", "createdAt"',
      `1, ${id('document', 'n')}, ${id('id', 'n')}, ${id('folder', 'n / 10')}, 0`,
    ),
    rows('userGroups', 100, '"organization", "groupId"', `1, ${id('group', 'n')}`),
    rows(
      'userGroupMembers',
      1,
      '"organization", "groupId", "userId"',
      `1, ${id('group', 'n / 100')}, ${id('user', 'n')}`,
    ),
  ];
  await store.writeRelaxed(async (database) => {
    for (const statement of statements) await statement.execute(database);
  });
}

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Returns the distinct statements that `work` runs. */
async function captureStatements(
  store: Store,
  work: () => Promise<void>,
): Promise<readonly Statement[]> {
  const statements = new Map<string, Statement>();
  const note = (text: string, values: readonly unknown[]) => {
    if (/^(select|insert|update|delete|with)\b/.test(text)) statements.set(text, { text, values });
  };
  const { query } = Client.prototype;
  Client.prototype.query = function capture(this: Client, ...given: unknown[]) {
    if (typeof given[0] === 'string') note(given[0], (given[1] as readonly unknown[]) ?? []);
    return Reflect.apply(query, this, given);
  } as typeof query;
  const adapter = (await store.read(
    async (database) => database.getExecutor().adapter,
  )) as Partial<DirectAdapter>;
  const { rows } = adapter;
  const capture: DirectAdapter['rows'] = (text, values) => {
    note(text, values);
    return rows?.(text, values) ?? [];
  };
  if (rows) Object.assign(adapter, { rows: capture });
  await work();
  if (rows) Object.assign(adapter, { rows });
  Client.prototype.query = query;
  return [...statements.values()];
}

/** Prints how the database finds the rows of a statement. */
async function explain(store: Store, { text, values }: Statement): Promise<void> {
  await store.writeRelaxed(async (database) => {
    const isPostgres = 'columnTypes' in database.getExecutor().adapter;
    const prefix = isPostgres ? 'explain' : 'explain query plan';
    const { rows } = await database.executeQuery<Record<string, unknown>>(
      CompiledQuery.raw(`${prefix} ${text}`, [...values]),
    );
    const lines = rows.map((row) => String(row['QUERY PLAN'] ?? row['detail']).trim());
    const scans = lines
      .filter((line) => /scan|search/i.test(line))
      .map((line) => line.replace(/^->\s*/, ''));
    console.log(`    ${text.replace(/\s+/g, ' ').slice(0, 60)}`);
    for (const line of new Set(scans)) console.log(`      ${line.slice(0, 140)}`);
  });
}
