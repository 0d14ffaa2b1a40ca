/**
 * Time to save and restore a snapshot, in milliseconds, while readers use the store. Run it with
 * `node test/bench/snapshots.ts [users] [readers]` (default: 10,000 users and 8 readers). Each
 * reader is a process that reads a user every millisecond.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../src/kernel/clock.ts';
import { openEmbedded } from '../../src/service/embedded.ts';
import { createSnapshots } from '../../src/service/local/snapshots/snapshots.ts';

const ROUNDS = 15;
const BATCH = 1_000;

const [first = '10000', second = '8', path = ''] = process.argv.slice(2);
if (first === 'read') await read(path);
else await measure(Number(first), Number(second));

async function read(store: string): Promise<void> {
  const database = new DatabaseSync(store, { timeout: 10_000 });
  const select = database.prepare(
    'select * from "users" where "organization" = 1 and "userId" = ?',
  );
  process.stdout.write('ready\n');
  for (let at = 0; ; at++) {
    select.get(`u${at % 1_000}`);
    await sleep(1);
  }
}

async function measure(users: number, readers: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const store = join(folder, 'service.sqlite');
  const service = await openEmbedded(store, { clock: systemClock });
  const { apiKey, authToken } = service.target.key;
  const headers = {
    'content-type': 'application/json',
    'x-svc-api-key': apiKey,
    'x-svc-auth-token': authToken,
  };
  for (let at = 0; at < users; at += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, users - at) }, (_, index) => ({
      userId: `u${at + index}`,
      name: `User ${at + index}`,
    }));
    const body = JSON.stringify({ data: { organizationId: 'acme', users: batch } });
    const response = await service.fetch('http://localhost/v1/users/add', {
      method: 'POST',
      headers,
      body,
    });
    if (!response.ok) throw new Error(await response.text());
  }
  const snapshots = createSnapshots(store);
  const children = Array.from({ length: readers }, () =>
    spawn(process.execPath, ['--no-warnings', import.meta.filename, 'read', '', store]),
  );
  await Promise.all(children.map(({ stdout }) => once(stdout, 'data')));
  const times = { save: [] as number[], restore: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const action of ['save', 'restore'] as const) {
      const start = performance.now();
      await snapshots[action]('seed');
      times[action].push(performance.now() - start);
    }
  }
  for (const child of children) child.kill();
  const [{ bytes = 0 } = {}] = await snapshots.list();
  for (const [action, all] of Object.entries(times)) {
    const sorted = all.toSorted((a, b) => a - b);
    const [median = 0, max = 0] = [sorted[ROUNDS >> 1], sorted.at(-1)];
    console.log(`${action}: median ${median.toFixed(1)} ms, maximum ${max.toFixed(1)} ms`);
  }
  console.log(`${users} users, ${readers} readers, ${(bytes / 1e6).toFixed(1)} MB`);
  await service.close();
  rmSync(folder, { recursive: true });
}
