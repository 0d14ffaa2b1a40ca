import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import { lockForServing } from '../../src/service/store/location.ts';
import { openStore } from '../../src/service/store/open.ts';
import { bundleScripts } from '../bundle-scripts.ts';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import { newStoreLocation } from './store-location.ts';
import { post } from './test-service.ts';

const KILLS = repeats(2);

/** Least number of writes that are acknowledged before a kill. */
const WRITES = 150;

let [server, adder] = ['', ''];
beforeAll(async () => {
  [server = '', adder = ''] = await bundleScripts(
    import.meta.dirname,
    'serve-process',
    'add-users-process',
  );
});

function startProcess(script: string, ...args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function startServing(store: string) {
  const child = startProcess(server, store);
  if (!child.stdout) throw new Error('no stdout');
  const [line] = await once(createInterface(child.stdout), 'line');
  return { child, ...(JSON.parse(line) as Record<'url' | 'apiKey' | 'authToken', string>) };
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function userIds(path: string, table: 'users' | 'members' = 'members'): Promise<Set<string>> {
  const store = await openStore(path);
  const users = await store.read((database) =>
    database.selectFrom(table).select('userId').execute(),
  );
  await store.close();
  return new Set(users.map(({ userId }) => userId));
}

describe('kill -9 of a serving process', () => {
  it('loses no acknowledged write, even when repeated', SLOW, async ({ annotate }) => {
    const path = await newStoreLocation();
    const acknowledged: string[] = [];
    for (let round = 0; round < KILLS; round++) {
      const { child, url, apiKey, authToken } = await startServing(path);
      const exit = once(child, 'exit');
      const headers = { 'x-svc-api-key': apiKey, 'x-svc-auth-token': authToken };
      const target = acknowledged.length + 40 + round * 7;
      const client = async (name: string) => {
        for (let n = 0; acknowledged.length < target; n++) {
          const userId = `${round}-${name}-${n}`;
          const body = JSON.stringify({ data: { organizationId: 'acme', users: [{ userId }] } });
          const response = await post(fetch, '/v1/users/add', body, headers, url);
          if (response.ok) acknowledged.push(userId);
        }
        child.kill('SIGKILL');
      };
      await Promise.allSettled(['a', 'b', 'c', 'd'].map(client));
      await exit;
    }
    const stored = await userIds(path);
    await annotate(`${acknowledged.length} acknowledged over ${KILLS} kills`);
    expect(acknowledged.length).toBeGreaterThan(40 * KILLS);
    expect(acknowledged.filter((userId) => !stored.has(userId))).toEqual([]);
  });

  it(
    'loses no acknowledged one of 100 writes at once, and leaves none half-written',
    SLOW,
    async ({ annotate }) => {
      const path = await newStoreLocation();
      const acknowledged: string[] = [];
      for (let round = 0; round < KILLS; round++) {
        const { child, url, apiKey, authToken } = await startServing(path);
        const exit = once(child, 'exit');
        const headers = { 'x-svc-api-key': apiKey, 'x-svc-auth-token': authToken };
        const target = acknowledged.length + WRITES + round * 37;
        const client = async (_: unknown, name: number) => {
          for (let n = 0; acknowledged.length < target; n++) {
            const userId = `${round}-${name}-${n}`;
            const body = JSON.stringify({
              data: { organizationId: `org-${name % 3}`, users: [{ userId }] },
            });
            const response = await post(fetch, '/v1/users/add', body, headers, url);
            if (response.ok) acknowledged.push(userId);
          }
          child.kill('SIGKILL');
        };
        await Promise.allSettled(Array.from({ length: 100 }, client));
        await exit;
      }
      const members = await userIds(path);
      await annotate(
        `${acknowledged.length} acknowledged, ${members.size} stored over ${KILLS} kills`,
      );
      expect(acknowledged.length).toBeGreaterThan(WRITES * KILLS);
      expect(acknowledged.filter((userId) => !members.has(userId))).toEqual([]);
      expect(await userIds(path, 'users')).toEqual(members);
    },
  );

  it('frees the store for the next process immediately', async () => {
    const path = await newStoreLocation();
    const { child } = await startServing(path);
    await expect(lockForServing(path, systemClock)).rejects.toMatchObject({
      failure: 'locked',
      message: `process ${child.pid} is already serving ${path}`,
    });
    await kill(child);
    (await lockForServing(path, systemClock))();
  });
});

describe('several processes on one store', () => {
  it(
    'create one workspace between them, and lose no writes next to a serving process',
    SLOW,
    async () => {
      const path = await newStoreLocation();
      const prefixes = ['a', 'b', 'c', 'd'];
      const children = prefixes.map((prefix) => startProcess(adder, path, prefix, '25'));
      const codes = await Promise.all(
        children.map(async (child) => (await once(child, 'exit'))[0]),
      );
      expect(codes).toEqual([0, 0, 0, 0]);
      expect(await userIds(path)).toHaveLength(100);
      const store = await openStore(path);
      onTestFinished(() => store.close());
      const workspaces = await store.read((database) =>
        database.selectFrom('workspaces').select('id').execute(),
      );
      expect(workspaces).toHaveLength(1);
    },
  );
});
