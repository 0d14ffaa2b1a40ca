import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sharedGate } from '../../../src/commands/call/shared-gate.ts';
import type { Folders } from '../../../src/kernel/folders.ts';
import { target } from '../../client/world.ts';
import { temporaryFolders } from '../../temporary-folder.ts';

const NOW = Date.UTC(2030, 0, 1);

/** A process that looks at the gate, with a time of its own. */
function looker(folders: Folders, whom = target()) {
  const clock = { time: NOW, now: () => clock.time, sleep: async () => undefined };
  const gate = sharedGate(folders, clock, whom);
  const look = () => {
    clock.time += 1_000;
    return gate.closedUntil();
  };
  return { gate, clock, look };
}

const fileOf = async ({ state }: Folders) => {
  const [name = ''] = await readdir(join(state, 'gates'));
  return join(state, 'gates', name);
};

describe('a gate that processes share', () => {
  it('is closed for all of one service and credential, and for no others', async () => {
    const folders = await temporaryFolders();
    const [first, second] = [looker(folders), looker(folders)];
    const elsewhere = looker(folders, target('https://other.example.test'));
    const other = looker(folders, { ...target(), key: { apiKey: 'another', authToken: 'token' } });
    expect(second.look()).toBeUndefined();
    first.gate.close(NOW + 60_000);
    await expect.poll(second.look).toBe(NOW + 60_000);
    expect([elsewhere.look(), other.look()]).toEqual([undefined, undefined]);
    first.gate.close(NOW + 90_000);
    await expect.poll(second.look).toBe(NOW + 90_000);
  });

  it('is the same below any path of the service, and whatever its token is now', async () => {
    const folders = await temporaryFolders();
    looker(folders, target('https://api.example.test/base')).gate.close(NOW + 5_000);
    const { apiKey = '' } = target().key ?? {};
    await expect.poll(looker(folders, { ...target(), key: { apiKey, authToken: 'new' } }).look).toBe(NOW + 5_000);
  });

  it('is closed for no longer than it was meant to be when the clock is set back', async () => {
    const folders = await temporaryFolders();
    looker(folders).gate.close(NOW + 60_000);
    await expect.poll(looker(folders).look).toBe(NOW + 60_000);
    const late = looker(folders);
    late.clock.time = NOW - 3_600_000;
    expect(late.gate.closedUntil()).toBe(NOW - 3_600_000 + 60_000);
  });

  it('holds no id and no address, is private, and is written whole', async () => {
    const folders = await temporaryFolders();
    const { gate, look } = looker(folders);
    gate.close(NOW + 5_000);
    await expect.poll(look).toBe(NOW + 5_000);
    const path = await fileOf(folders);
    expect(path).toMatch(/\/gates\/[0-9a-f]{32}\.json$/);
    expect(await readFile(path, 'utf8')).toBe(`{"until":${NOW + 5_000},"from":${NOW}}`);
    expect([(await stat(path)).mode & 0o777, (await stat(join(path, '..'))).mode & 0o777]).toEqual([0o600, 0o700]);
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
    ['far too long', `{"until":1,"x":"${'x'.repeat(9_999)}"}`],
  ])('is open where the file is %s', async (_, text) => {
    const folders = await temporaryFolders();
    const { gate, look } = looker(folders);
    gate.close(NOW + 5_000);
    await expect.poll(look).toBe(NOW + 5_000);
    await writeFile(await fileOf(folders), text);
    await expect.poll(look).toBeUndefined();
  });

  it('is open where it cannot be kept', async () => {
    const folders = await temporaryFolders();
    await writeFile(folders.state, 'no folder').catch(async () => {
      await mkdir(folders.state, { recursive: true });
      await writeFile(join(folders.state, 'gates'), 'no folder');
    });
    const { gate, look } = looker(folders);
    gate.close(NOW + 5_000);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(look()).toBeUndefined();
  });

  it('forgets what nobody has closed for a day', async () => {
    const folders = await temporaryFolders();
    const old = join(folders.state, 'gates', 'old.json');
    const yesterday = new Date(Date.now() - 25 * 3_600_000);
    await mkdir(join(folders.state, 'gates'), { recursive: true });
    await writeFile(old, '{}');
    await utimes(old, yesterday, yesterday);
    looker(folders).gate.close(NOW);
    await expect
      .poll(() => readdir(join(folders.state, 'gates')))
      .toEqual([expect.stringMatching(/^[0-9a-f]{32}\.json$/)]);
  });

  it('is one of the two where two close it at once', async () => {
    const folders = await temporaryFolders();
    const [first, second] = [looker(folders), looker(folders)];
    first.gate.close(NOW + 60_000);
    second.gate.close(NOW + 61_000);
    await expect.poll(first.look).toBeDefined();
    expect([NOW + 60_000, NOW + 61_000]).toContain(looker(folders).look());
  });
});
