import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { createSnapshots } from '../../../src/service/local/snapshots/snapshots.ts';
import { ensureLocalCredentials } from '../../../src/service/records/bootstrap.ts';
import { openStore } from '../../../src/service/store/open.ts';
import { bundleScripts } from '../../bundle-scripts.ts';
import { copyAsKilled } from '../../copy-as-killed.ts';
import { repeats } from '../../repeats.ts';
import { SLOW } from '../../slow.ts';
import { createTemporaryFolder } from '../../temporary-folder.ts';
import { countGenerations, writeGeneration } from './generations.ts';

const KILLS = repeats(3);
const MOMENTS = 6 * KILLS;
const READERS = 4;
const RESTORES = 60;

let script = '';
beforeAll(async () => {
  [script = ''] = await bundleScripts(import.meta.dirname, 'snapshot-process');
});

async function startProcess(
  path: string,
  mode: string,
): Promise<ChildProcess & { nextLine(): Promise<string> }> {
  const child = spawn(process.execPath, ['--no-warnings', script, path, mode], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const nextLine = async () => String((await lines.next()).value);
  expect(await nextLine()).toBe('ready');
  return Object.assign(child, { nextLine });
}

/** Creates a store with two snapshots, whose rows have generations 1 and 2. */
async function prepareStore() {
  const path = join(await createTemporaryFolder(), 'service.sqlite');
  const store = await openStore(path);
  const { apiKey } = await ensureLocalCredentials(store);
  const snapshots = createSnapshots(path);
  for (const [at, name] of ['one', 'two'].entries()) {
    await writeGeneration(store, apiKey, at + 1);
    await snapshots.save(name);
  }
  await store.close();
  return { path, snapshots };
}

function readGenerations(path: string): readonly number[] {
  const database = new DatabaseSync(path);
  try {
    expect(database.prepare('pragma quick_check').all()).toEqual([{ quick_check: 'ok' }]);
    return countGenerations(database);
  } finally {
    database.close();
  }
}

it(
  `${KILLS} kills and ${MOMENTS} moments of save and restore leave the old or the new data`,
  SLOW,
  async () => {
    const found = new Map<string, number>();
    const check = async (path: string) => {
      const inStore = readGenerations(path);
      expect(inStore).toHaveLength(1);
      const reported: unknown[] = [];
      const names = (await createSnapshots(path).list((error) => reported.push(error)))
        .map(({ name }) => name)
        .toSorted();
      expect(reported).toEqual([]);
      expect([
        ['one', 'two'],
        ['one', 'saved', 'two'],
      ]).toContainEqual(names);
      const inSnapshot = names.includes('saved')
        ? readGenerations(`${path}.snapshots/saved.sqlite`)
        : [0];
      expect(inSnapshot).toHaveLength(1);
      const outcome = `store ${inStore}, snapshot ${inSnapshot}`;
      found.set(outcome, (found.get(outcome) ?? 0) + 1);
    };
    const { path, snapshots } = await prepareStore();
    for (let kills = 0; kills < KILLS; kills++) {
      const child = await startProcess(path, 'write');
      for (let moments = 0; moments < MOMENTS / KILLS; moments++) {
        await sleep(Math.random() * 20);
        await check(join(await copyAsKilled(child, dirname(path)), basename(path)));
      }
      await sleep(Math.random() * 20);
      child.kill('SIGKILL');
      await once(child, 'exit');
      await check(path);
    }
    await snapshots.save('last');
    expect((await readdir(`${path}.snapshots`)).filter((name) => name.startsWith('.'))).toEqual([]);
    // The moments differ.
    expect(found.size).toBeGreaterThan(2);
  },
);

it('readers in other processes see the old or the new data', SLOW, async () => {
  const { path, snapshots } = await prepareStore();
  const readers = await Promise.all(
    Array.from({ length: READERS }, () => startProcess(path, 'read')),
  );
  for (let at = 0; at < RESTORES; at++) await snapshots.restore(at % 2 === 0 ? 'one' : 'two');
  const results = await Promise.all(
    readers.map(async (reader) => {
      reader.stdin?.end();
      return JSON.parse(await reader.nextLine());
    }),
  );
  for (const { reads, mixed } of results)
    expect({ isReading: reads > 0, mixed }).toEqual({ isReading: true, mixed: 0 });
  expect(new Set(results.flatMap(({ seen }) => seen))).toEqual(new Set([1, 2]));
});
