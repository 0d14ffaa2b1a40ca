import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSharedRateLimit } from '../../../src/commands/connection/service-route.ts';
import type { Folders } from '../../../src/kernel/folders.ts';
import { target } from '../../client/client-fixture.ts';
import { createUserFolders } from '../../temporary-folder.ts';

const NOW = Date.UTC(2030, 0, 1);

/** A process that reads the shared rate limit, with its own clock. */
function looker(folders: Folders, whom = target()) {
  const clock = { time: NOW, now: () => clock.time, sleep: async () => undefined };
  const gate = createSharedRateLimit(folders, clock, whom);
  const look = () => {
    clock.time += 1_000;
    return gate.pausedUntil();
  };
  return { gate, clock, look };
}

const fileOf = async ({ state }: Folders) => {
  const [name = ''] = await readdir(join(state, 'gates'));
  return join(state, 'gates', name);
};

describe('a rate limit shared by processes', () => {
  it('pauses all processes of one service and credential, and no others', async () => {
    const folders = await createUserFolders();
    const [first, second] = [looker(folders), looker(folders)];
    const elsewhere = looker(folders, target('https://other.example.test'));
    const other = looker(folders, { ...target(), key: { apiKey: 'another', authToken: 'token' } });
    expect(second.look()).toBeUndefined();
    first.gate.pauseUntil(NOW + 60_000);
    await expect.poll(second.look).toBe(NOW + 60_000);
    expect([elsewhere.look(), other.look()]).toEqual([undefined, undefined]);
    first.gate.pauseUntil(NOW + 90_000);
    await expect.poll(second.look).toBe(NOW + 90_000);
  });

  it('is the longest of several pauses, unless no service asks for that long', async () => {
    const folders = await createUserFolders();
    const [first, second] = [looker(folders), looker(folders)];
    first.gate.pauseUntil(NOW + 60_000);
    await expect.poll(second.look).toBe(NOW + 60_000);
    second.gate.pauseUntil(NOW + 59_000);
    await expect.poll(first.look).toBe(NOW + 60_000);
    await writeFile(await fileOf(folders), JSON.stringify({ until: NOW * 2, from: NOW }));
    second.gate.pauseUntil(NOW + 61_000);
    await expect.poll(first.look).toBe(NOW + 61_000);
  });

  it('is the same for any path of the service and any token', async () => {
    const folders = await createUserFolders();
    looker(folders, target('https://api.example.test/base')).gate.pauseUntil(NOW + 5_000);
    const { apiKey = '' } = target().key ?? {};
    await expect
      .poll(looker(folders, { ...target(), key: { apiKey, authToken: 'new' } }).look)
      .toBe(NOW + 5_000);
  });

  it('does not extend the pause if the clock is set back', async () => {
    const folders = await createUserFolders();
    looker(folders).gate.pauseUntil(NOW + 60_000);
    await expect.poll(looker(folders).look).toBe(NOW + 60_000);
    const late = looker(folders);
    late.clock.time = NOW - 3_600_000;
    expect(late.gate.pausedUntil()).toBe(NOW - 3_600_000 + 60_000);
  });

  it('reveals no IDs and no URL, is private, and is written atomically', async () => {
    const folders = await createUserFolders();
    const { gate, look } = looker(folders);
    gate.pauseUntil(NOW + 5_000);
    await expect.poll(look).toBe(NOW + 5_000);
    const path = await fileOf(folders);
    expect(path).toMatch(/\/gates\/[0-9a-f]{32}\.json$/);
    expect(await readFile(path, 'utf8')).toBe(`{"until":${NOW + 5_000},"from":${NOW}}`);
    expect([(await stat(path)).mode & 0o777, (await stat(join(path, '..'))).mode & 0o777]).toEqual([
      0o600, 0o700,
    ]);
  });

  it.each([
    ['empty', ''],
    ['cut', '{'],
    ['null', 'null'],
    ['a list', '[]'],
    ['a text', '{"until":"soon"}'],
    ['without a time', '{"until":null}'],
    ['without end', '{"until":1e999}'],
    ['binary', '\0'],
  ])('does not pause if the file is %s', async (_, text) => {
    const folders = await createUserFolders();
    const { gate, look } = looker(folders);
    gate.pauseUntil(NOW + 5_000);
    await expect.poll(look).toBe(NOW + 5_000);
    await writeFile(await fileOf(folders), text);
    await expect.poll(look).toBeUndefined();
  });

  it('does not pause if the file cannot be written', async () => {
    const folders = await createUserFolders();
    await writeFile(folders.state, 'no folder').catch(async () => {
      await mkdir(folders.state, { recursive: true });
      await writeFile(join(folders.state, 'gates'), 'no folder');
    });
    const { gate, look } = looker(folders);
    gate.pauseUntil(NOW + 5_000);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(look()).toBeUndefined();
  });

  it('deletes files that are unchanged for a day', async () => {
    const folders = await createUserFolders();
    const old = join(folders.state, 'gates', 'old.json');
    const yesterday = new Date(Date.now() - 25 * 3_600_000);
    await mkdir(join(folders.state, 'gates'), { recursive: true });
    await writeFile(old, '{}');
    await utimes(old, yesterday, yesterday);
    looker(folders).gate.pauseUntil(NOW);
    await expect
      .poll(() => readdir(join(folders.state, 'gates')))
      .toEqual([expect.stringMatching(/^[0-9a-f]{32}\.json$/)]);
  });

  it('is one of two pauses that are written at the same time', async () => {
    const folders = await createUserFolders();
    const [first, second] = [looker(folders), looker(folders)];
    first.gate.pauseUntil(NOW + 60_000);
    second.gate.pauseUntil(NOW + 61_000);
    await expect.poll(first.look).toBeDefined();
    expect([NOW + 60_000, NOW + 61_000]).toContain(looker(folders).look());
  });
});
