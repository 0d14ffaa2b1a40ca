/**
 * The cost of the outbox: 10,000 events to a receiver on this machine as a ratio to what the same
 * HTTP client pushes by itself, and how soon one event that another one records is delivered. Run
 * it with `npm run bench:deliveries`; the receiver is a process of its own. Where PostgreSQL is
 * installed both are measured on a server of it too.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { systemClock } from '../../src/kernel/clock.ts';
import { startDeliveries } from '../../src/service/deliveries/engine.ts';
import { createHttpSender } from '../../src/service/deliveries/http-sender.ts';
import { openEmbedded } from '../../src/service/embedded.ts';
import { resolveStoreLocation } from '../../src/service/store/location.ts';
import { openStore } from '../../src/service/store/open.ts';
import type { Store } from '../../src/service/store/store.ts';
import { startCluster } from '../postgres/cluster.ts';
import { median } from './median.ts';

const EVENTS = 10_000;
const BATCH = 100;
const AT_ONCE = 32;
const ROUNDS = 5;
/** Events that are caused one after the other. */
const SINGLE = 21;

if (process.argv[2] === 'receive') receive();
else await compare();

/** Answers every delivery, and `/await/<n>` once n have come. */
function receive(): void {
  const ids = new Set<unknown>();
  const server = createServer((request, response) => {
    const wanted = /^\/await\/(\d+)$/.exec(request.url ?? '')?.[1];
    request.resume().on('end', () => {
      if (wanted === undefined) {
        ids.add(request.headers['webhook-id']);
        response.end();
        return;
      }
      const timer = setInterval(() => {
        if (ids.size < Number(wanted)) return;
        clearInterval(timer);
        ids.clear();
        response.end();
      }, 1);
    });
  });
  server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
}

async function compare(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const child = spawn(process.execPath, [import.meta.filename, 'receive'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [port] = await once(createInterface(child.stdout), 'line');
    const url = `http://127.0.0.1:${port}`;
    console.log('SQLite');
    await run(join(folder, 'store.sqlite'), url, '  (goal 0.50x)');
    const cluster = await startCluster({ durable: true });
    if (!cluster) return console.log('PostgreSQL: skipped, it is not installed');
    console.log('PostgreSQL');
    await run(cluster.url('postgres'), url, '  (goal 0.45x)').finally(() => cluster.remove());
  } finally {
    child.kill();
    rmSync(folder, { recursive: true });
  }
}

type Call = (operation: string, data: object) => Promise<void>;

async function run(place: string, url: string, goal = ''): Promise<void> {
  const folders = { config: '', state: '', data: '' };
  const service = await openEmbedded(await resolveStoreLocation(place, folders), {
    clock: systemClock,
  });
  const { apiKey, authToken } = service.target.key;
  const headers = {
    'content-type': 'application/json',
    'x-svc-api-key': apiKey,
    'x-svc-auth-token': authToken,
  };
  const call: Call = async (operation, data) => {
    const body = JSON.stringify({ data });
    const response = await service.fetch(`http://localhost${operation}`, {
      method: 'POST',
      headers,
      body,
    });
    if (!response.ok) throw new Error(await response.text());
  };
  await call('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
  await call('/v2/workspace/advancedwebhook/endpoints/create', { url });
  const store = await openStore(place);
  const figures: { readonly bare: number; readonly delivered: number; readonly whole: number }[] =
    [];
  for (let round = 0; round < ROUNDS; round++) {
    const bare = EVENTS / (await timed(() => pushBare(url)));
    const caused = await timed(() => cause(call));
    const drained = await timed(() => delivering(store, () => arrived(url, EVENTS)));
    figures.push({ bare, delivered: EVENTS / drained, whole: EVENTS / (caused + drained) });
  }
  const pauses = await pausesOf(store, call, url);
  await store.close();
  await service.close();
  const of = (name: keyof (typeof figures)[number]) =>
    median(figures.map((figure) => figure[name]));
  print('the client alone', of('bare'), '');
  print(
    'delivered',
    of('delivered'),
    `${median(figures.map((f) => f.delivered / f.bare)).toFixed(2)}x${goal}`,
  );
  print(
    'caused and delivered',
    of('whole'),
    `${median(figures.map((f) => f.whole / f.bare)).toFixed(2)}x`,
  );
  console.log(`from one's answer to another's delivery: ${(median(pauses) * 1_000).toFixed(1)} ms`);
}

async function delivering<Result>(store: Store, work: () => Promise<Result>): Promise<Result> {
  const deliveries = startDeliveries(store, { clock: systemClock, allowPrivateTargets: true });
  const result = await work();
  await deliveries.stop();
  return result;
}

/**
 * Seconds from the answer to a call until what it caused has arrived, of events one after the
 * other.
 */
async function pausesOf(store: Store, call: Call, url: string): Promise<readonly number[]> {
  return delivering(store, async () => {
    const pauses: number[] = [];
    await cause(call, 1);
    await arrived(url, 1);
    for (let n = 0; n < SINGLE; n++) {
      await cause(call, 1);
      pauses.push(await timed(() => arrived(url, 1)));
    }
    return pauses;
  });
}

async function arrived(url: string, count: number): Promise<void> {
  await fetch(`${url}/await/${count}`);
}

/** Sends as many signed bodies of the same size, without an outbox. */
async function pushBare(url: string): Promise<void> {
  const poster = createHttpSender({ allowPrivateTargets: true });
  const body = JSON.stringify({ event: 'comment.add', data: 'x'.repeat(450) });
  let sent = 0;
  const push = async () => {
    while (sent < EVENTS) {
      const id = `bare-${sent++}`;
      await poster.send({
        url,
        body,
        headers: { 'content-type': 'application/json', 'webhook-id': id },
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, push));
  await arrived(url, EVENTS);
  poster.close();
}

async function cause(call: Call, count = EVENTS): Promise<void> {
  const activity = {
    featureType: 'comment',
    actionType: 'comment.add',
    actionUser: { userId: 'u1', name: 'Ada Lovelace' },
    entityTargetData: { commentId: 1, commentText: 'Is this date still right?' },
  };
  const activities = Array<object>(Math.min(BATCH, count)).fill(activity);
  for (let sent = 0; sent < count; sent += BATCH) {
    await call('/v2/activities/add', { organizationId: 'acme', documentId: 'd1', activities });
  }
}

/** Seconds. */
async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1_000;
}

function print(what: string, rate: number, ratio: string): void {
  console.log(`${what.padEnd(22)} ${Math.round(rate)} events/s  ${ratio}`.trimEnd());
}
