/**
 * The cost of the embedded service: its calls a second as a ratio to a bare node:http server that
 * parses and answers the same small JSON, and a call of 100 users as a ratio to the SQLite
 * statements that it needs. Run it with `npm run bench:service`. Each server is a process of its
 * own, driven over 32 connections. Where PostgreSQL is installed both are measured on a server of
 * it too, beside the statements that they need there; `-- --store postgres://…` names another empty
 * database to do so on.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { systemClock } from '../../src/kernel/clock.ts';
import { openEmbedded } from '../../src/service/embedded.ts';
import { resolveStoreLocation } from '../../src/service/store/location.ts';
import { startCluster } from '../postgres/cluster.ts';
import { median } from './median.ts';

const CONNECTIONS = 32;
/** Connections that write at once. */
const WRITERS = 100;
const SVC = join(import.meta.dirname, '..', '..', 'bin', 'svc.js');
const SERVING = join(import.meta.dirname, '..', 'service', 'serve-process.ts');
/**
 * Duration of a round. Rounds are short, so that what else the machine does falls on both servers of a
 * ratio alike.
 */
const SECONDS = 0.5;
const ROUNDS = 24;
/** Rounds in which the servers become as fast as they are going to be. */
const WARM_UP = 6;

if (process.argv[2] === 'bare') serveBare();
else await compare();

async function compare(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  try {
    console.log('SQLite');
    await compareReads(
      join(folder, 'reads.sqlite'),
      ' (goal 0.50x)',
      join(folder, 'logged.sqlite'),
    );
    const statements = rawStatements(join(folder, 'raw.sqlite'));
    await compareWrites(statements, join(folder, 'writes.sqlite'), ' (goal 3.00x)');
    await compareSingleWrites(statements, join(folder, 'singles.sqlite'));
  } finally {
    rmSync(folder, { recursive: true });
  }
  const given = process.argv.indexOf('--store');
  if (given > 0) return comparePostgres(process.argv[given + 1] ?? '');
  const cluster = await startCluster({ durable: true });
  if (!cluster) return console.log('PostgreSQL: skipped, it is not installed');
  await comparePostgres(cluster.url('postgres')).finally(() => cluster.remove());
}

async function comparePostgres(store: string): Promise<void> {
  console.log('PostgreSQL');
  const reads = await compareReads(store);
  const statements = await rawPostgres(store);
  const bareReads = await statements.reads();
  console.log(
    `a read, statements    ${Math.round(bareReads)} a second over 10 connections: a read of the service is ${(reads / bareReads).toFixed(2)}x (goal 1.10x)`,
  );
  await compareWrites(statements.write, store);
  await compareSingleWrites(statements.write, store, {
    statements: ' (goal 1.40x)',
    single: ' (goal 3.00x)',
  });
  await compareSingleWrites(statements.write, store, {
    organizations: 100,
    statements: '',
    single: ' (goal 4.00x)',
  });
  await statements.end();
}

/**
 * @param loggedStore store of a third server, `svc serve` with its log of requests
 * @returns the reads of the service a second
 */
async function compareReads(store: string, goal = '', loggedStore?: string): Promise<number> {
  const bare = await startServer([import.meta.filename, 'bare']);
  const service = await startServer([SERVING, store]);
  const serve = ['serve', '--port', '0', '-o', 'json', '--store'];
  const logged =
    loggedStore === undefined ? undefined : await startServer([SVC, ...serve, loggedStore]);
  for (const server of logged ? [service, logged] : [service])
    await post(server, '/v1/organizations/documents/add', {
      organizationId: 'acme',
      documents: [{ documentId: 'd1' }],
    });
  const body = JSON.stringify({ data: { organizationId: 'acme' } });
  const rates = { bare: [] as number[], service: [] as number[], logged: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    rates.bare.push(await rate(bare, body));
    rates.service.push(await rate(service, body));
    if (logged) rates.logged.push(await rate(logged, body));
  }
  for (const server of [bare, service, logged]) server?.child.kill();
  const [bares, reads, log] = [rates.bare, rates.service, rates.logged].map((all) =>
    all.slice(WARM_UP),
  ) as [number[], number[], number[]];
  const ratioOf = (all: readonly number[], base: readonly number[]) =>
    median(all.map((reached, round) => reached / (base[round] ?? Number.NaN)));
  const ratio = ratioOf(reads, bares);
  console.log(`bare node:http        ${Math.round(median(bares))} requests/s`);
  console.log(
    `service, a read       ${Math.round(median(reads))} requests/s  ${ratio.toFixed(2)}x${goal}`,
  );
  if (logged)
    console.log(
      `svc serve with a log  ${Math.round(median(log))} requests/s  ${ratioOf(log, reads).toFixed(2)}x a read (goal 0.90x)`,
    );
  return median(reads);
}

/** Answers as the service does where there is one document. */
function serveBare(): void {
  const data = [{ id: 'd1', disabled: false, accessType: 'public' }];
  const reply = JSON.stringify({
    result: { status: 'success', message: 'Document(s) retrieved successfully.', data },
  });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString());
      if (!body.data) throw new Error('no data');
      response.setHeader('content-type', 'application/json');
      response.end(reply);
    });
  });
  server.listen(0, '127.0.0.1', () => {
    console.log(
      JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
    );
  });
}

interface Server {
  readonly child: ChildProcess;
  readonly url: string;
  readonly apiKey?: string;
  readonly authToken?: string;
}

async function startServer(words: readonly string[]): Promise<Server> {
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(child.stdout), 'line');
  return { child, ...JSON.parse(line) };
}

async function post(
  { url, apiKey = '', authToken = '' }: Server,
  path: string,
  data: object,
): Promise<void> {
  const headers = {
    'content-type': 'application/json',
    'x-svc-api-key': apiKey,
    'x-svc-auth-token': authToken,
  };
  const response = await fetch(url + path, {
    method: 'POST',
    headers,
    body: JSON.stringify({ data }),
  });
  if (!response.ok) throw new Error(await response.text());
}

/** Answers a second, each connection sending its next request when the last one is answered. */
async function rate(server: Server, body: string): Promise<number> {
  const request = requestText(server, '/v2/organizations/documents/get', body);
  return (await times(server, CONNECTIONS, () => request)).length / SECONDS;
}

function requestText(
  { url, apiKey = '', authToken = '' }: Server,
  path: string,
  body: string,
): string {
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: ${new URL(url).host}`,
    'content-type: application/json',
    `x-svc-api-key: ${apiKey}`,
    `x-svc-auth-token: ${authToken}`,
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** Milliseconds until each answer. */
async function times(
  { url }: Server,
  connections: number,
  next: () => string,
): Promise<readonly number[]> {
  const { port } = new URL(url);
  const end = performance.now() + SECONDS * 1_000;
  return (
    await Promise.all(Array.from({ length: connections }, () => drive(Number(port), next, end)))
  ).flat();
}

function drive(port: number, next: () => string, end: number): Promise<readonly number[]> {
  const socket = connect(port, '127.0.0.1').setNoDelay().setEncoding('latin1');
  return new Promise((resolve, reject) => {
    const answers: number[] = [];
    let sentAt = performance.now();
    socket.on('error', reject);
    socket.on('data', (text: string) => {
      if (!text.startsWith('HTTP/1.1 200')) return reject(new Error(text));
      const now = performance.now();
      answers.push(now - sentAt);
      sentAt = now;
      if (now < end) return socket.write(next());
      socket.destroy();
      resolve(answers);
    });
    socket.write(next());
  });
}

/**
 * Calls that add one user each, over many connections at once, beside the same statements in a
 * transaction each, and beside the same calls over one connection. The calls write to
 * `organizations` in turn.
 */
async function compareSingleWrites(
  raw: Write,
  store: string,
  {
    organizations = 1,
    ...goals
  }: {
    readonly organizations?: number;
    readonly statements: string;
    readonly single: string;
  } = { statements: '', single: '' },
): Promise<void> {
  const service = await startServer([SERVING, store]);
  const rates = { raw: [] as number[], service: [] as number[], single: [] as number[] };
  const waits: number[] = [];
  let count = 0;
  const nextUser = () => ({
    userId: `single-${count++}`,
    name: 'Ada Lovelace',
    email: 'ada@example.com',
  });
  const next = () => {
    const organizationId = organizations === 1 ? 'acme' : `organization-${count % organizations}`;
    const body = JSON.stringify({ data: { organizationId, users: [nextUser()] } });
    return requestText(service, '/v1/users/add', body);
  };
  for (let round = 0; round < ROUNDS; round++) {
    let written = 0;
    for (const end = performance.now() + SECONDS * 1_000; performance.now() < end; written++)
      await raw([nextUser()]);
    rates.raw.push(written / SECONDS);
    const answers = await times(service, WRITERS, next);
    rates.service.push(answers.length / SECONDS);
    rates.single.push((await times(service, 1, next)).length / SECONDS);
    if (round >= WARM_UP) waits.push(...answers);
  }
  service.child.kill();
  const [raws, calls, singles] = [rates.raw, rates.service, rates.single].map((all) =>
    all.slice(WARM_UP),
  ) as [number[], number[], number[]];
  const ratioTo = (base: readonly number[]) =>
    median(calls.map((reached, round) => reached / (base[round] ?? Number.NaN)));
  waits.sort((one, other) => one - other);
  const at = (share: number) =>
    `${(waits[Math.floor(waits.length * share)] ?? Number.NaN).toFixed(1)} ms`;
  if (organizations > 1) console.log(`with ${organizations} organizations:`);
  console.log(`1 user, statements    ${Math.round(median(raws))} a second, a transaction each`);
  console.log(
    `1 user, ${WRITERS} calls at once ${Math.round(median(calls))} a second  ${ratioTo(raws).toFixed(2)}x${goals.statements}  p50 ${at(0.5)}, p99 ${at(0.99)}`,
  );
  console.log(
    `1 user, one connection ${Math.round(median(singles))} a second: ${WRITERS} at once reach ${ratioTo(singles).toFixed(2)}x${goals.single}`,
  );
}

type Write = (users: readonly User[]) => Promise<void>;

async function compareWrites(raw: Write, store: string, goal = ''): Promise<void> {
  const { call, close } = await serviceCall(store);
  const times = { raw: [] as number[], service: [] as number[] };
  for (let round = 0; round < 400; round++) {
    const users = Array.from({ length: 100 }, (_, n) => ({
      userId: `user-${round}-${n}`,
      name: 'Ada Lovelace',
      email: `ada-${n}@example.com`,
    }));
    times.raw.push(await timed(() => raw(users)));
    times.service.push(await timed(() => call(users)));
  }
  const [floor, reached] = [median(times.raw.slice(50)), median(times.service.slice(50))];
  console.log(`100 users, statements ${floor.toFixed(2)} ms`);
  console.log(
    `100 users, a call     ${reached.toFixed(2)} ms  ${(reached / floor).toFixed(2)}x${goal}`,
  );
  await close();
}

type User = { readonly userId: string; readonly name: string; readonly email: string };

/** The rows that the service writes, by prepared statements in one transaction. */
function rawStatements(path: string) {
  const database = new DatabaseSync(path);
  database.exec(`
    pragma journal_mode = wal; pragma synchronous = full;
    create table users (organization integer, userId text, id text, name text, email text, initial text, primary key (organization, userId));
    create table members (organization integer, level text, resourceId text, userId text, addedAt integer,
      primary key (organization, level, resourceId, userId), foreign key (organization, userId) references users);
  `);
  const addUser = database.prepare(
    'insert into users values (1, ?, ?, ?, ?, ?) on conflict do update set name = excluded.name, email = excluded.email',
  );
  const addMember = database.prepare(
    "insert into members values (1, 'organization', '', ?, ?) on conflict do nothing",
  );
  return async (users: readonly User[]) => {
    database.exec('begin immediate');
    for (const { userId, name, email } of users) {
      addUser.run(userId, `id-of-${userId}`, name, email, 'A');
      addMember.run(userId, 0);
    }
    database.exec('commit');
  };
}

/** Opens connections for the statements of a write of users and of a read of documents. */
async function rawPostgres(store: string) {
  const clients = await Promise.all(Array.from({ length: 10 }, () => connected(store)));
  const [client = clients[0] as Client] = clients;
  await client.query(`
    create table if not exists "rawUsers" (organization bigint, "userId" text collate "C", id text, name text, email text, initial text,
      primary key (organization, "userId"));
    create table if not exists "rawMembers" (organization bigint, level text collate "C", "resourceId" text collate "C",
      "userId" text collate "C", "addedAt" double precision, primary key (organization, level, "resourceId", "userId"),
      foreign key (organization, "userId") references "rawUsers")`);
  const write = async (users: readonly User[]) => {
    const rows = (width: number) =>
      users
        .map(
          (_, n) =>
            `(1, ${Array.from({ length: width }, (__, at) => `$${n * width + at + 1}`).join()})`,
        )
        .join();
    await client.query('begin');
    await client.query(
      `insert into "rawUsers" values ${rows(5)} on conflict (organization, "userId") do update set name = excluded.name`,
      users.flatMap(({ userId, name, email }) => [userId, `id-of-${userId}`, name, email, 'A']),
    );
    await client.query(
      `insert into "rawMembers" values ${rows(4)} on conflict do nothing`,
      users.flatMap(({ userId }) => ['organization', '', userId, 0]),
    );
    await client.query('commit');
  };
  const reads = async () => {
    let count = 0;
    const seconds = 3;
    const end = performance.now() + seconds * 1_000;
    const read = async (own: Client) => {
      for (; performance.now() < end; count++) {
        await own.query('start transaction isolation level repeatable read read only');
        await own.query(
          'select token from "apiKeys" left join "authTokens" on "apiKey" = id where id = $1',
          ['x'],
        );
        await own.query(
          'select key from organizations where "apiKey" = $1 and "organizationId" = $2',
          ['x', 'acme'],
        );
        await own.query(
          'select * from documents where organization = $1 and key > $2 order by key limit 1001',
          [1, 0],
        );
        await own.query('commit');
      }
    };
    await Promise.all(clients.map(read));
    return count / seconds;
  };
  return {
    write,
    reads,
    end: async () => void (await Promise.all(clients.map((each) => each.end()))),
  };
}

async function connected(store: string): Promise<Client> {
  const client = new Client(store);
  await client.connect();
  return client;
}

async function serviceCall(store: string) {
  const folders = { config: '', state: '', data: '' };
  const { fetch, target, close } = await openEmbedded(await resolveStoreLocation(store, folders), {
    clock: systemClock,
  });
  const { apiKey, authToken } = target.key;
  const headers = {
    'content-type': 'application/json',
    'x-svc-api-key': apiKey,
    'x-svc-auth-token': authToken,
  };
  const call: Write = async (users) => {
    const body = JSON.stringify({ data: { organizationId: 'acme', users } });
    const response = await fetch(`${target.baseUrl}/v1/users/add`, {
      method: 'POST',
      headers,
      body,
    });
    if (!response.ok) throw new Error(await response.text());
  };
  return { call, close };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
