import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import type { Folders } from '../../src/kernel/folders.ts';
import { withLock } from '../../src/kernel/lock.ts';
import { createProfileStore } from '../../src/profiles/store.ts';
import { bundleScripts } from '../bundle-scripts.ts';
import { copyAsKilled } from '../copy-as-killed.ts';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import { createTemporaryFolder, createUserFolders } from '../temporary-folder.ts';

let writer = '';
beforeAll(async () => {
  [writer = ''] = await bundleScripts(import.meta.dirname, 'writer');
});

/** Starts a writer that stores secrets in the file, or in a folder that serves as a keychain. */
function startWriter({ config }: Folders, names: readonly string[], vault = ''): ChildProcess {
  const env = { ...process.env, NODE_COMPILE_CACHE: join(writer, '..', 'compiled') };
  return spawn(process.execPath, [writer, config, vault, ...names], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

const openStore = (folders: Folders, lockTimeout?: number) =>
  createProfileStore({
    folders,
    clock: systemClock,
    ...(lockTimeout !== undefined && { lockTimeout }),
  });

const filesOf = async ({ config }: Folders) =>
  Promise.all(
    ['profiles.json', 'secrets.json'].map((name) => readFile(join(config, name), 'utf8')),
  );

describe('parallel writers', () => {
  it('lose nothing with eight processes of five profiles each', SLOW, async () => {
    const folders = await createUserFolders();
    const writers = Array.from({ length: 8 }, (_, at) =>
      startWriter(
        folders,
        ['a', 'b', 'c', 'd', 'e'].map((name) => name + at),
      ),
    );
    const codes = await Promise.all(writers.map(async (each) => (await once(each, 'exit'))[0]));
    expect(codes).toEqual(writers.map(() => 0));
    const { profiles } = await openStore(folders).read();
    expect(profiles.size).toBe(40);
    const secrets = await readFile(join(folders.config, 'secrets.json'), 'utf8');
    expect(Object.keys(JSON.parse(secrets)).sort()).toEqual(
      [...profiles.values()].map(({ id }) => id).sort(),
    );
    expect((await readdir(folders.config)).sort()).toEqual([
      'profiles.json',
      'profiles.lock',
      'profiles.lock.owner',
      'secrets.json',
    ]);
  });

  it("fail with the name of the lock's owner if the lock is not released", async () => {
    const folders = await createUserFolders();
    await openStore(folders).add('prod', {}, {});
    await withLock(join(folders.config, 'profiles.lock'), { clock: systemClock }, async () => {
      await expect(openStore(folders, 300).add('test', {}, {})).rejects.toMatchObject({
        failure: 'locked',
        message: expect.stringContaining(`process ${process.pid}`),
      });
    });
    await openStore(folders, 0).add('test', {}, {});
  });
});

const KILLS = repeats(3);
const MOMENTS = 4 * KILLS;

describe('a killed writer', () => {
  it.each(['file', 'keychain'])(
    `leaves either the old or the new profiles, at ${MOMENTS} moments (%s)`,
    SLOW,
    async (place) => {
      const home = await createTemporaryFolder();
      const foldersIn = (copy: string) => ({ config: join(copy, 'config'), state: '', data: '' });
      const vaultIn = (copy: string) => (place === 'keychain' ? join(copy, 'vault') : '');
      const [folders, vault] = [foldersIn(home), vaultIn(home)];
      if (vault !== '') await mkdir(vault);
      const random = seeded(2024);
      const acknowledged = new Set<string>();
      for (let round = 0; round < KILLS; round++) {
        const names = Array.from({ length: 200 }, (_, index) => `r${round}-${index}`);
        const started = startWriter(folders, names, vault);
        let said = '';
        started.stdout?.on('data', (chunk) => {
          said += chunk;
        });
        const over = once(started, 'close');
        const acknowledge = () => {
          for (const name of said.split('\n').slice(0, -1)) acknowledged.add(name);
        };
        const untilNext = () => Promise.race([once(started.stdout ?? started, 'data'), over]);
        for (let copies = 0; copies < 3; copies++) {
          await untilNext();
          await sleep(random() * 30);
          acknowledge();
          const copy = await copyAsKilled(started, home);
          await expectConsistent(foldersIn(copy), vaultIn(copy), acknowledged);
        }
        await untilNext();
        await sleep(random() * 30);
        started.kill('SIGKILL');
        await over;
        acknowledge();
        await expectConsistent(folders, vault, acknowledged);
      }
      expect(acknowledged.size).toBeGreaterThanOrEqual(MOMENTS);
      const last = startWriter(folders, ['last'], vault);
      expect(await once(last, 'exit')).toEqual([0, null]);
      const { profiles } = await openStore(folders).read();
      expect((await keptTokens(folders, vault)).size).toBe(profiles.size);
      expect((await readdir(folders.config)).filter((name) => name.includes('.staged-'))).toEqual(
        [],
      );
    },
  );

  async function expectConsistent(
    folders: Folders,
    vault: string,
    acknowledged: ReadonlySet<string>,
  ): Promise<void> {
    const { profiles, leftovers } = await openStore(folders).read();
    for (const name of acknowledged) expect(profiles.has(name), name).toBe(true);
    const kept = await keptTokens(folders, vault);
    for (const [name, profile] of profiles) {
      expect(profile.org).toBe(name.repeat(20));
      expect(kept.get(profile.id ?? '')).toBe(`token-${name}`);
      kept.delete(profile.id ?? '');
    }
    // The killed writer may have left extra secrets, which the next change deletes.
    expect(kept.size).toBeLessThanOrEqual(1);
    if (vault !== '') for (const id of kept.keys()) expect(leftovers).toEqual([`${id} authToken`]);
  }
});

/** The auth token of each ID, read directly from its storage. */
async function keptTokens(folders: Folders, vault: string): Promise<Map<string, string>> {
  if (vault === '') {
    const [, secrets = ''] = await filesOf(folders);
    const entries: [string, { authToken: string }][] = Object.entries(JSON.parse(secrets));
    return new Map(entries.map(([id, { authToken }]) => [id, authToken]));
  }
  const names = await readdir(vault);
  const texts = await Promise.all(names.map((name) => readFile(join(vault, name), 'utf8')));
  return new Map(
    names.map((name, index) => [
      name.split(' ')[1] ?? '',
      texts[index]?.replace('https://api.example.com ', '') ?? '',
    ]),
  );
}

describe('a full disk', () => {
  it('keeps both files unchanged when the file size limit is reached', async () => {
    const folders = await createUserFolders();
    const store = openStore(folders);
    for (let index = 0; index < 9; index++)
      await store.add(`p${index}`, { org: 'x'.repeat(60) }, { authToken: 'token' });
    const before = await filesOf(folders);
    const command = [
      '-c',
      'ulimit -f 1; exec "$@"',
      '-',
      process.execPath,
      writer,
      folders.config,
      '',
      'new',
    ];
    const { stderr } = spawnSync('bash', command, { encoding: 'utf8' });
    expect(stderr).toMatch(
      /^local: .*cannot write .*profiles\.json: only part of the file was written/,
    );
    expect(await filesOf(folders)).toEqual(before);
  });

  it.skipIf(!canMount())('keeps both files unchanged when there is no space left', async () => {
    const folders = await createUserFolders();
    await mountSmallDisk(folders.config);
    const store = openStore(folders);
    await store.add('prod', { org: 'x'.repeat(6_000) }, { authToken: 'token' });
    const before = await filesOf(folders);
    await fill(join(folders.config, 'filler'));
    await expect(
      store.add('more', { org: 'y'.repeat(6_000) }, { authToken: 'other' }),
    ).rejects.toMatchObject({
      failure: 'local',
    });
    expect(await filesOf(folders)).toEqual(before);
    await rm(join(folders.config, 'filler'));
    await store.add('more', {}, {});
    expect((await store.read()).profiles.size).toBe(2);
  });
});

function canMount(): boolean {
  const probe = mkdtempSync(join(tmpdir(), 'svc-mount-'));
  const mounted =
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', probe]).status === 0;
  if (mounted) spawnSync('umount', [probe]);
  rmdirSync(probe);
  return mounted;
}

async function mountSmallDisk(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]);
  onTestFinished(() => void spawnSync('umount', [folder]));
}

/** Fills the disk to the last page. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'w');
  const page = Buffer.alloc(4_096);
  while (await file.write(page).catch(() => undefined));
  await file.close();
}

/** Random numbers in [0, 1), reproducible by seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 0x7fffffff;
    return state / 0x7fffffff;
  };
}
