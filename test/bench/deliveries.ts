/**
 * What the outbox costs: 10,000 events to a receiver on this machine as a ratio to what the same HTTP client pushes by
 * itself. Run it with `node test/bench/deliveries.ts`; the receiver is
 * a process of its own.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { systemClock } from '../../src/kernel/clock.ts';
import { startDeliveries } from '../../src/service/deliveries/engine.ts';
import { createPoster } from '../../src/service/deliveries/post.ts';
import { openLocalService } from '../../src/service/local.ts';
import { openStore } from '../../src/service/store/open.ts';

const EVENTS = 10_000;
const BATCH = 100;
const AT_ONCE = 32;
const ROUNDS = 5;

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
  const child = spawn(process.execPath, [import.meta.filename, 'receive'], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await run(join(folder, 'store.sqlite'), child);
  } finally {
    child.kill();
    rmSync(folder, { recursive: true });
  }
}

async function run(path: string, child: ChildProcess): Promise<void> {
  if (!child.stdout) throw new Error('no stdout');
  const url = `http://127.0.0.1:${(await once(createInterface(child.stdout), 'line'))[0]}`;
  const folders = { config: '', state: '', data: '' };
  const service = await openLocalService({ folders, clock: systemClock, store: path });
  const { apiKey, authToken } = service.target.key;
  const headers = { 'content-type': 'application/json', 'x-svc-api-key': apiKey, 'x-svc-auth-token': authToken };
  const call = async (operation: string, data: object) => {
    const body = JSON.stringify({ data });
    const response = await service.fetch(`http://localhost${operation}`, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(await response.text());
  };
  await call('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
  await call('/v2/workspace/advancedwebhook/endpoints/create', { url });
  const store = await openStore(path);
  const figures: { readonly bare: number; readonly delivered: number; readonly whole: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const bare = await perSecond(() => pushBare(url));
    const caused = await timed(() => cause(call));
    const drained = await timed(async () => {
      const deliveries = startDeliveries(store, { clock: systemClock, privateTargets: true });
      await fetch(`${url}/await/${EVENTS}`);
      await deliveries.stop();
    });
    figures.push({ bare, delivered: EVENTS / drained, whole: EVENTS / (caused + drained) });
  }
  await store.close();
  await service.close();
  const of = (name: keyof (typeof figures)[number]) => median(figures.map((figure) => figure[name]));
  print('the client alone', of('bare'), '');
  print('delivered', of('delivered'), `${median(figures.map((f) => f.delivered / f.bare)).toFixed(2)}x  (goal 0.50x)`);
  print('caused and delivered', of('whole'), `${median(figures.map((f) => f.whole / f.bare)).toFixed(2)}x`);
}

/** The same number of signed bodies of the same size, with nothing written down. */
async function pushBare(url: string): Promise<void> {
  const poster = createPoster({ privateTargets: true });
  const body = JSON.stringify({ event: 'comment.add', data: 'x'.repeat(450) });
  let sent = 0;
  const push = async () => {
    while (sent < EVENTS) {
      const id = `bare-${sent++}`;
      await poster.post({ url, body, headers: { 'content-type': 'application/json', 'webhook-id': id } });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, push));
  await fetch(`${url}/await/${EVENTS}`);
  poster.close();
}

async function cause(call: (operation: string, data: object) => Promise<void>): Promise<void> {
  const activity = {
    featureType: 'comment',
    actionType: 'comment.add',
    actionUser: { userId: 'u1', name: 'Ada Lovelace' },
    entityTargetData: { commentId: 1, commentText: 'Is this date still right?' },
  };
  const activities = Array<object>(BATCH).fill(activity);
  for (let sent = 0; sent < EVENTS; sent += BATCH) {
    await call('/v2/activities/add', { organizationId: 'acme', documentId: 'd1', activities });
  }
}

async function perSecond(work: () => Promise<void>): Promise<number> {
  return EVENTS / (await timed(work));
}

/** Seconds. */
async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1_000;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

function print(what: string, rate: number, ratio: string): void {
  console.log(`${what.padEnd(22)} ${Math.round(rate)} events/s  ${ratio}`.trimEnd());
}
