/**
 * How long small calls wait beside large ones: four clients add 20,000 users a call, and two others
 * with the same API key add and read one record at a time. Run it with `npm run bench:mixed`. The
 * server is a process of its own. Where PostgreSQL is installed, it is measured too;
 * `-- --store postgres://…` names another empty database to do so on.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startCluster } from '../postgres/cluster.ts';

const LARGE_CLIENTS = 4;
const USERS_PER_CALL = 20_000;
const SECONDS = 20;
const READ = JSON.stringify({ data: { organizationId: 'acme' } });
const SERVING = join(import.meta.dirname, '..', 'service', 'serve-process.ts');

const given = process.argv.indexOf('--store');
if (process.argv[2] === 'large') await postLargeCalls(process.argv[3] ?? '');
else if (given > 0) await compare(process.argv[given + 1] ?? '');
else {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  console.log('SQLite');
  await compare(join(folder, 'mixed.sqlite')).finally(() => rmSync(folder, { recursive: true }));
  const cluster = await startCluster({ durable: true });
  if (cluster) {
    console.log('PostgreSQL');
    await compare(cluster.url('postgres')).finally(() => cluster.remove());
  } else console.log('PostgreSQL: skipped, it is not installed');
}

async function compare(store: string): Promise<void> {
  const server = startProcess([SERVING, store]);
  try {
    const ready = await server.line;
    const post = createPost(ready);
    await post('/v1/users/add', userCall('small', 1));
    // A process of its own, so that its work does not delay the small calls.
    const large = startProcess([import.meta.filename, 'large', ready]);
    const write = repeat(() => post('/v1/users/add', userCall('small', 1)));
    const read = repeat(() => post('/v2/organizations/documents/get', READ));
    printWaits('1 user, a call', await write, ' (goal: p99 at most 250 ms)');
    printWaits('a read', await read, ' (goal: p99 at most 250 ms)');
    printWaits(`${USERS_PER_CALL} users, a call`, JSON.parse(await large.line));
  } finally {
    server.child.kill();
    await once(server.child, 'exit');
  }
}

function startProcess(words: readonly string[]) {
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = once(createInterface(child.stdout), 'line').then(([first]): string => first);
  return { child, line };
}

/** Prints the milliseconds until each response, as JSON. */
async function postLargeCalls(ready: string): Promise<void> {
  const post = createPost(ready);
  const clients = Array.from({ length: LARGE_CLIENTS }, (_, client) => {
    const body = userCall(`client-${client}`, USERS_PER_CALL);
    return repeat(() => post('/v1/users/add', body));
  });
  console.log(JSON.stringify((await Promise.all(clients)).flat()));
}

/** @returns the milliseconds of each call */
async function repeat(call: () => Promise<void>): Promise<readonly number[]> {
  const waits: number[] = [];
  for (const end = performance.now() + SECONDS * 1_000; performance.now() < end; ) {
    const start = performance.now();
    await call();
    waits.push(performance.now() - start);
  }
  return waits;
}

function userCall(prefix: string, count: number): string {
  const users = Array.from({ length: count }, (_, n) => ({
    userId: `${prefix}-${n}`,
    name: 'Ada Lovelace',
    email: `${prefix}-${n}@example.com`,
  }));
  return JSON.stringify({ data: { organizationId: 'acme', users } });
}

/** @param ready what a server prints when it is ready, as JSON */
function createPost(ready: string) {
  const { url, apiKey, authToken } = JSON.parse(ready);
  const headers = {
    'content-type': 'application/json',
    'x-svc-api-key': apiKey,
    'x-svc-auth-token': authToken,
  };
  return async (path: string, body: string) => {
    const response = await fetch(url + path, { method: 'POST', headers, body });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
  };
}

function printWaits(name: string, waits: readonly number[], goal = ''): void {
  const sorted = waits.toSorted((one, other) => one - other);
  const at = (share: number) => {
    const wait = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
    return `${Math.round(wait ?? Number.NaN)} ms`;
  };
  console.log(
    `${name.padEnd(24)} ${sorted.length} calls  p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}${goal}`,
  );
}
