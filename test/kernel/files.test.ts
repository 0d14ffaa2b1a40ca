import { globSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  discardStaged,
  flushFolder,
  makeFolder,
  moveOver,
  privateFolder,
  readTextIfExists,
  replaceFile,
  withoutMark,
} from '../../src/kernel/files.ts';
import { temporaryFolder } from '../temporary-folder.ts';

describe('replacing a file', () => {
  it('leaves the new content alone in the folder, for its owner only', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'settings.json');
    await writeFile(path, 'old', { mode: 0o644 });
    await replaceFile(path, 'new');
    expect(await readFile(path, 'utf8')).toBe('new');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['settings.json']);
  });

  it.each([
    ['was cut', { write: (path: string) => writeFile(path, 'ne') }, 'only a part'],
    ['was never made', { write: async () => undefined }, 'no such file'],
  ])('keeps the old content when the new one %s', async (_, replacement, reason) => {
    const folder = await temporaryFolder();
    const path = join(folder, 'settings.json');
    await writeFile(path, 'old');
    await expect(replaceFile(path, 'new', replacement)).rejects.toMatchObject({
      failure: 'local',
      message: expect.stringMatching(new RegExp(`cannot write ${path}: .*${reason}`)),
    });
    expect(await readFile(path, 'utf8')).toBe('old');
    expect(await readdir(folder)).toEqual(['settings.json']);
  });

  it('can sweep up what killed writers left, and nothing else', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'settings.json.staged-abc123'));
    await writeFile(join(folder, 'settings.json.staged-abc123', 'settings.json'), 'half');
    await writeFile(join(folder, 'settings.json.bak'), 'mine');
    await discardStaged(join(folder, 'settings.json'));
    expect(await readdir(folder)).toEqual(['settings.json.bak']);
  });
});

describe('local files', () => {
  it('that are not there are no error to a reader', async () => {
    expect(await readTextIfExists(join(await temporaryFolder(), 'absent'))).toBeUndefined();
  });

  it('are text in UTF-8, or in UTF-16 with its mark', async () => {
    const path = join(await temporaryFolder(), 'file');
    for (const encoding of ['utf8', 'utf16le'] as const) {
      await writeFile(path, '\ufeffZo\u00eb\r\n', encoding);
      expect(withoutMark((await readTextIfExists(path)) ?? '')).toBe('Zo\u00eb\r\n');
    }
  });

  it('say their path and the reason when they cannot be used', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'file'), '');
    await expect(privateFolder(join(folder, 'file', 'inner'))).rejects.toMatchObject({
      failure: 'local',
      message: `cannot create ${join(folder, 'file', 'inner')}: a part of the path is not a folder`,
    });
    await expect(readTextIfExists(folder)).rejects.toMatchObject({ message: `cannot read ${folder}: it is a folder` });
  });
});

describe('moving a file over another', () => {
  /** A system whose rename fails so many times, and whose time passes only by waiting. */
  function world(platform: NodeJS.Platform, code: string, failures: number) {
    let [now, tries] = [0, 0];
    return {
      platform,
      clock: {
        now: () => now,
        sleep: async (milliseconds: number) => {
          now += milliseconds;
        },
      },
      rename: async () => {
        tries += 1;
        if (tries <= failures) throw Object.assign(new Error('held'), { code });
      },
      waited: () => now,
    };
  }

  it.each(['EPERM', 'EACCES', 'EBUSY'])('on Windows waits while somebody has it open (%s)', async (code) => {
    const held = world('win32', code, 5);
    await moveOver('a', 'b', held);
    expect(held.waited()).toBe(10 + 20 + 40 + 80 + 160);
  });

  it('gives up after three seconds', async () => {
    const held = world('win32', 'EPERM', Number.POSITIVE_INFINITY);
    await expect(moveOver('a', 'b', held)).rejects.toMatchObject({ code: 'EPERM' });
    expect(held.waited()).toBeGreaterThan(2_500);
    expect(held.waited()).toBeLessThanOrEqual(3_000);
  });

  it.each([
    ['linux', 'EPERM'],
    ['darwin', 'EACCES'],
    ['win32', 'ENOSPC'],
  ] as const)('fails at once where waiting does not help (%s, %s)', async (platform, code) => {
    const held = world(platform, code, 1);
    await expect(moveOver('a', 'b', held)).rejects.toMatchObject({ code });
    expect(held.waited()).toBe(0);
  });
});

it('a folder is flushed where the system can: not on Windows, where none can be opened', async () => {
  await flushFolder(await temporaryFolder());
  await flushFolder('/not/there', 'win32');
  await expect(flushFolder('/not/there', 'linux')).rejects.toMatchObject({ code: 'ENOENT' });
});

describe('making a folder', () => {
  it('makes those above it as well, and leaves what is there', async () => {
    const path = join(await temporaryFolder(), 'a', 'b', 'c');
    expect([await makeFolder(path, 0o700), await makeFolder(path, 0o755)]).toEqual([true, false]);
    for (const made of [path, join(path, '..')]) expect((await stat(made)).mode & 0o777).toBe(0o700);
  });

  it('is done by whoever comes first, for all', async () => {
    const path = join(await temporaryFolder(), 'a', 'b', 'c');
    const made = await Promise.all(Array.from({ length: 20 }, () => makeFolder(path)));
    expect(made.filter((first) => first)).toHaveLength(1);
  });

  it('is refused below a file, and in the place of one', async () => {
    const path = join(await temporaryFolder(), 'file');
    await writeFile(path, '');
    await expect(makeFolder(join(path, 'a', 'b'))).rejects.toMatchObject({ code: 'ENOTDIR' });
    await expect(makeFolder(path)).rejects.toMatchObject({ code: 'EEXIST' });
  });

  it('is refused below a file where the system says only that nothing is there, as Windows does', async () => {
    const path = join(await temporaryFolder(), 'file');
    await writeFile(path, '');
    const make = async (folder: string) => {
      if (folder === path) return mkdir(folder);
      throw Object.assign(new Error(), { code: 'ENOENT' });
    };
    await expect(makeFolder(join(path, 'a', 'b'), 0o700, make)).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  it.runIf(process.platform === 'linux')('ends where the system makes none', async () => {
    for (const path of ['/proc/svc', '/proc/svc/a/b'])
      await expect(makeFolder(path)).rejects.toThrow('no folder can be made in /proc');
    await expect(privateFolder('/proc/svc')).rejects.toMatchObject({
      failure: 'local',
      message: 'cannot create /proc/svc: no folder can be made in /proc',
    });
  });

  it('is done by makeFolder alone: what Node does below /proc never ends', () => {
    const sources = globSync('src/**/*.ts').map((path) => [path, readFileSync(path, 'utf8')] as const);
    expect(sources.length).toBeGreaterThan(100);
    const own = sources.filter(([, text]) => /\bmkdir(Sync)?\([^;]*recursive/.test(text)).map(([path]) => path);
    expect(own).toEqual([]);
  });
});
