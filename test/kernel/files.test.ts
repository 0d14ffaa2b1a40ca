import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { chown, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  appendToRegularFile,
  createFolder,
  createPrivateFile,
  createPrivateFolder,
  readTextIfExists,
  withoutByteOrderMark,
} from '../../src/kernel/files.ts';
import {
  flushFolder,
  moveReplacing,
  removeStagedFiles,
  replaceFile,
} from '../../src/kernel/staged-file.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';

describe('replaceFile', () => {
  it('leaves only the new file in the folder, readable by its owner', async () => {
    const folder = await createTemporaryFolder();
    const path = join(folder, 'settings.json');
    await writeFile(path, 'old', { mode: 0o644 });
    await replaceFile(path, 'new');
    expect(await readFile(path, 'utf8')).toBe('new');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['settings.json']);
  });

  it('writes a text of several parts', async () => {
    const path = join(await createTemporaryFolder(), 'settings.json');
    await replaceFile(path, ['é', '', '\n💥']);
    expect(await readFile(path, 'utf8')).toBe('é\n💥');
  });

  it.each([
    [
      'is truncated',
      { write: (path: string) => writeFile(path, 'ne') },
      'only part of the file was written',
    ],
    [
      'is another one',
      { write: (path: string) => writeFile(path, 'nec') },
      'only part of the file was written',
    ],
    [
      'is longer',
      { write: (path: string) => writeFile(path, 'new!') },
      'only part of the file was written',
    ],
    ['is never written', { write: async () => undefined }, 'no such file'],
  ])('keeps the old content if the new one %s', async (_, replacement, reason) => {
    const folder = await createTemporaryFolder();
    const path = join(folder, 'settings.json');
    await writeFile(path, 'old');
    await expect(replaceFile(path, 'new', replacement)).rejects.toMatchObject({
      failure: 'local',
      message: expect.stringMatching(new RegExp(`cannot write ${path}: .*${reason}`)),
    });
    expect(await readFile(path, 'utf8')).toBe('old');
    expect(await readdir(folder)).toEqual(['settings.json']);
  });

  it('does not read the new content of a cache again', async () => {
    const path = join(await createTemporaryFolder(), 'cache');
    const write = (staged: string) => writeFile(staged, 'another text');
    await replaceFile(path, 'text', { write, durable: false });
    expect(await readFile(path, 'utf8')).toBe('another text');
  });

  it.skipIf(process.getuid?.() !== 0).each([
    [1, 0],
    [0, 1],
  ])('keeps the owner of the file: %i:%i', async (uid, gid) => {
    const path = join(await createTemporaryFolder(), 'settings.json');
    await writeFile(path, 'old');
    await chown(path, uid, gid);
    await replaceFile(path, 'new');
    expect(await stat(path)).toMatchObject({ uid, gid });
  });

  it('follows a link to a missing file from the folder in which the link really is', async () => {
    const folder = await createTemporaryFolder();
    await mkdir(join(folder, 'real', 'sub'), { recursive: true });
    await symlink(join('real', 'sub'), join(folder, 'alias'));
    await symlink(join('..', 'missing.json'), join(folder, 'real', 'sub', 'link'));
    await replaceFile(join(folder, 'alias', 'link'), 'new');
    expect(await readFile(join(folder, 'real', 'missing.json'), 'utf8')).toBe('new');
    expect((await readdir(folder)).toSorted()).toEqual(['alias', 'real']);
  });

  it.skipIf(process.platform === 'win32')('keeps what is not a regular file', async () => {
    const path = join(await createTemporaryFolder(), 'socket');
    const server = createServer().listen(path);
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    await expect(replaceFile(path, 'new')).rejects.toThrow(
      `cannot write ${path}: is not a regular file`,
    );
    expect((await stat(path)).isSocket()).toBe(true);
    await expect(appendToRegularFile('/dev/null', 'new')).rejects.toThrow(
      'cannot write /dev/null: is not a regular file',
    );
  });

  it('refuses a circular link, and keeps it', async () => {
    const folder = await createTemporaryFolder();
    const path = join(folder, 'one');
    await symlink('other', path);
    await symlink('one', join(folder, 'other'));
    await expect(replaceFile(path, 'new')).rejects.toMatchObject({
      failure: 'local',
      message: `cannot write ${path}: is a circular link`,
    });
    expect((await readdir(folder)).toSorted()).toEqual(['one', 'other']);
  });

  it('removeStagedFiles removes only the staged files of killed writers', async () => {
    const folder = await createTemporaryFolder();
    await mkdir(join(folder, 'settings.json.staged-abc123'));
    await writeFile(join(folder, 'settings.json.staged-abc123', 'settings.json'), 'half');
    await writeFile(join(folder, 'settings.json.bak'), 'mine');
    await removeStagedFiles(join(folder, 'settings.json'));
    expect(await readdir(folder)).toEqual(['settings.json.bak']);
  });
});

describe('local files', () => {
  it('may be missing: readTextIfExists returns undefined', async () => {
    expect(await readTextIfExists(join(await createTemporaryFolder(), 'absent'))).toBeUndefined();
  });

  it('are decoded as UTF-8, or as UTF-16 with a byte order mark', async () => {
    const path = join(await createTemporaryFolder(), 'file');
    for (const encoding of ['utf8', 'utf16le'] as const) {
      await writeFile(path, '\ufeffZo\u00eb\r\n', encoding);
      expect(withoutByteOrderMark((await readTextIfExists(path)) ?? '')).toBe('Zo\u00eb\r\n');
    }
  });

  it('are named in errors with their path and the reason', async () => {
    const folder = await createTemporaryFolder();
    await writeFile(join(folder, 'file'), '');
    await expect(createPrivateFolder(join(folder, 'file', 'inner'))).rejects.toMatchObject({
      failure: 'local',
      message: `cannot create ${join(folder, 'file', 'inner')}: part of the path is not a folder`,
    });
    await expect(readTextIfExists(folder)).rejects.toMatchObject({
      message: `cannot read ${folder}: is a folder`,
    });
    await expect(createPrivateFile(join(folder, 'missing', 'file'))).rejects.toMatchObject({
      message: `cannot create ${join(folder, 'missing', 'file')}: no such file`,
    });
  });
});

describe('moveReplacing', () => {
  /**
   * Dependencies whose rename fails a number of times, and whose time passes only while sleeping.
   */
  function dependencies(platform: NodeJS.Platform, code: string, failures: number) {
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

  it.each(['EPERM', 'EACCES', 'EBUSY'])(
    'waits on Windows while another process has the file open (%s)',
    async (code) => {
      const held = dependencies('win32', code, 5);
      await moveReplacing('a', 'b', held);
      expect(held.waited()).toBe(10 + 20 + 40 + 80 + 160);
    },
  );

  it('gives up after three seconds', async () => {
    const held = dependencies('win32', 'EPERM', Number.POSITIVE_INFINITY);
    await expect(moveReplacing('a', 'b', held)).rejects.toMatchObject({ code: 'EPERM' });
    expect(held.waited()).toBeGreaterThan(2_500);
    expect(held.waited()).toBeLessThanOrEqual(3_000);
  });

  it.each([
    ['linux', 'EPERM'],
    ['darwin', 'EACCES'],
    ['win32', 'ENOSPC'],
  ] as const)('fails immediately if waiting does not help (%s, %s)', async (platform, code) => {
    const held = dependencies(platform, code, 1);
    await expect(moveReplacing('a', 'b', held)).rejects.toMatchObject({ code });
    expect(held.waited()).toBe(0);
  });
});

it('flushFolder flushes a folder, except on Windows, which cannot open folders', async () => {
  await flushFolder(await createTemporaryFolder());
  await flushFolder('/not/there', 'win32');
  await expect(flushFolder('/not/there', 'linux')).rejects.toMatchObject({ code: 'ENOENT' });
});

describe('createFolder', () => {
  it('creates missing parents, and keeps existing folders', async () => {
    const path = join(await createTemporaryFolder(), 'a', 'b', 'c');
    expect([await createFolder(path, 0o700), await createFolder(path, 0o755)]).toEqual([
      true,
      false,
    ]);
    for (const made of [path, join(path, '..')])
      expect((await stat(made)).mode & 0o777).toBe(0o700);
  });

  it('succeeds for all concurrent callers', async () => {
    const path = join(await createTemporaryFolder(), 'a', 'b', 'c');
    const made = await Promise.all(Array.from({ length: 20 }, () => createFolder(path)));
    expect(made.filter((first) => first)).toHaveLength(1);
  });

  it('fails below a file, and in place of a file', async () => {
    const path = join(await createTemporaryFolder(), 'file');
    await writeFile(path, '');
    await expect(createFolder(join(path, 'a', 'b'))).rejects.toMatchObject({ code: 'ENOTDIR' });
    await expect(createFolder(path)).rejects.toMatchObject({ code: 'EEXIST' });
  });

  it('fails below a file with ENOTDIR even if the system reports ENOENT, as Windows does', async () => {
    const path = join(await createTemporaryFolder(), 'file');
    await writeFile(path, '');
    const make = async (folder: string) => {
      if (folder === path) return mkdir(folder);
      throw Object.assign(new Error(), { code: 'ENOENT' });
    };
    await expect(createFolder(join(path, 'a', 'b'), 0o700, make)).rejects.toMatchObject({
      code: 'ENOTDIR',
    });
  });

  it.runIf(process.platform === 'linux')('ends if the system cannot create folders', async () => {
    for (const path of ['/proc/svc', '/proc/svc/a/b'])
      await expect(createFolder(path)).rejects.toThrow('folders cannot be created in /proc');
    await expect(createPrivateFolder('/proc/svc')).rejects.toMatchObject({
      failure: 'local',
      message: 'cannot create /proc/svc: folders cannot be created in /proc',
    });
  });

  it('is the only way that the source creates folders recursively, because Node.js never ends below /proc', () => {
    const sources = globSync('src/**/*.ts').map(
      (path) => [path, readFileSync(path, 'utf8')] as const,
    );
    expect(sources.length).toBeGreaterThan(100);
    const own = sources
      .filter(([, text]) => /\bmkdir(Sync)?\([^;]*recursive/.test(text))
      .map(([path]) => path);
    expect(own).toEqual([]);
  });
});
