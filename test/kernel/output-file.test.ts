import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openOutputFile, writeOutputFile } from '../../src/kernel/output-file.ts';
import { userId } from '../../src/kernel/process.ts';
import { replaceFile } from '../../src/kernel/staged-file.ts';
import { SLOW } from '../slow.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';

const MODES = ['replace', 'append', 'fail'] as const;

describe('a regular file', () => {
  it.each([
    ['replace', 'new'],
    ['append', 'oldnew'],
  ] as const)('is written as requested: %s', async (existing, expected) => {
    const folder = await createTemporaryFolder();
    const path = join(folder, 'out');
    await writeFile(path, 'old', { mode: 0o644 });
    const file = await openOutputFile(path, { existing });
    await file.write('n');
    await file.write('ew');
    // Putting a staged file in its place is one step, so that a kill after it leaves nothing else.
    for (const name of await readdir(folder))
      expect((await stat(join(folder, name))).isFile()).toBe(true);
    await file.close();
    expect(await readFile(path, 'utf8')).toBe(expected);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('is not opened if it must be new', async () => {
    const path = join(await createTemporaryFolder(), 'out');
    await writeFile(path, 'old');
    await expect(openOutputFile(path, { existing: 'fail' })).rejects.toMatchObject({
      failure: 'local',
      message: `cannot write ${path}: already exists`,
    });
    expect(await readFile(path, 'utf8')).toBe('old');
  });

  it('keeps its permissions if they belong to another program', async () => {
    const path = join(await createTemporaryFolder(), 'out');
    await writeFile(path, 'old', { mode: 0o644 });
    for (const existing of ['append', 'replace'] as const) {
      const file = await openOutputFile(path, { existing, mode: 0o600 });
      await file.close();
      expect((await stat(path)).mode & 0o777).toBe(0o644);
    }
  });

  it.each([
    [0o022, 0o644, 0o644],
    [0o027, 0o644, 0o640],
    [0o077, 0o644, 0o600],
    [0o000, undefined, 0o600],
  ])('is new under the umask %o: %o becomes %o', async (umask, mode, expected) => {
    const folder = await createTemporaryFolder();
    const request = mode === undefined ? {} : { mode };
    const before = process.umask(umask);
    try {
      await writeOutputFile(join(folder, 'out'), 'new', request);
      await replaceFile(join(folder, 'file'), 'new', request);
    } finally {
      process.umask(before);
    }
    for (const name of ['out', 'file'])
      expect((await stat(join(folder, name))).mode & 0o777).toBe(expected);
  });

  it('keeps its content if a replacement is discarded or cannot be written', async () => {
    const folder = await createTemporaryFolder();
    const path = join(folder, 'out');
    await writeFile(path, 'old');
    const file = await openOutputFile(path, { existing: 'replace' });
    await file.write('new');
    await file.discard();
    const encode = () => {
      throw new Error('no');
    };
    await expect(writeOutputFile(path, 'new', { encode })).rejects.toThrow('no');
    expect(await readFile(path, 'utf8')).toBe('old');
    expect(await readdir(folder)).toEqual(['out']);
  });

  it('keeps text that was appended if it is discarded, unless it is new', async () => {
    const folder = await createTemporaryFolder();
    await writeFile(join(folder, 'old'), 'old');
    for (const [name, existing] of [
      ['old', 'append'],
      ['new', 'append'],
      ['other', 'fail'],
    ] as const) {
      const file = await openOutputFile(join(folder, name), { existing });
      await file.write('new');
      await file.discard();
    }
    expect(await readdir(folder)).toEqual(['old']);
    expect(await readFile(join(folder, 'old'), 'utf8')).toBe('oldnew');
  });

  it('is truncated to a size that it exceeds', async () => {
    const path = join(await createTemporaryFolder(), 'out');
    await writeFile(path, 'old');
    const file = await openOutputFile(path, { existing: 'append' });
    expect([await file.truncateTo(4), await file.truncateTo(2)]).toEqual([3, 2]);
    await file.write('new');
    await file.close();
    expect(await readFile(path, 'utf8')).toBe('olnew');
  });

  it('behind a link is replaced, and the link stays', async () => {
    const folder = await createTemporaryFolder();
    await writeFile(join(folder, 'target'), 'old');
    await symlink('target', join(folder, 'link'));
    await writeOutputFile(join(folder, 'link'), 'new');
    expect(await readlink(join(folder, 'link'))).toBe('target');
    expect(await readFile(join(folder, 'target'), 'utf8')).toBe('new');
  });
});

it.each(MODES)('a folder is refused: %s', async (existing) => {
  const path = join(await createTemporaryFolder(), 'folder');
  await mkdir(path);
  await expect(openOutputFile(path, { existing })).rejects.toMatchObject({
    failure: 'local',
    message: `cannot write ${path}: is a folder`,
  });
});

describe('a device', () => {
  it.skipIf(userId !== 0).each(MODES)(
    'is written through, also behind a link: %s',
    async (existing) => {
      const folder = await createTemporaryFolder();
      const device = join(folder, 'null');
      execFileSync('mknod', ['-m', '666', device, 'c', '1', '3']);
      await symlink('null', join(folder, 'link'));
      for (const path of [device, join(folder, 'link')]) {
        const file = await openOutputFile(path, { existing });
        expect(file.isRegular).toBe(false);
        await file.write('text');
        expect(await file.truncateTo(10)).toBe(0);
        await (existing === 'append' ? file.discard() : file.close());
      }
      const stats = await stat(device);
      expect([stats.isCharacterDevice(), stats.mode & 0o777]).toEqual([true, 0o666]);
      expect((await readdir(folder)).toSorted()).toEqual(['link', 'null']);
    },
  );
});

describe('a FIFO', () => {
  async function createFifo() {
    const path = join(await createTemporaryFolder(), 'fifo');
    execFileSync('mkfifo', [path]);
    return path;
  }

  it.each(MODES)('passes more text than fits to a reader that opens it later: %s', async (mode) => {
    const path = await createFifo();
    const opening = openOutputFile(path, { existing: mode });
    const text = 'x'.repeat(300_000);
    const reading = readFile(path, 'utf8');
    const file = await opening;
    await file.write(text);
    await file.close();
    expect((await reading) === text).toBe(true);
    expect((await stat(path)).isFIFO()).toBe(true);
  });

  it('without a reader does not outlast the signal', async () => {
    const controller = new AbortController();
    const opening = openOutputFile(await createFifo(), {
      existing: 'replace',
      signal: controller.signal,
    });
    controller.abort(new Error('interrupted'));
    await expect(opening).rejects.toThrow('interrupted');
  });

  it('whose reader takes no text does not outlast the signal', async () => {
    const path = await createFifo();
    const controller = new AbortController();
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const file = await openOutputFile(path, { existing: 'append', signal: controller.signal });
    const writing = file.write('x'.repeat(300_000));
    controller.abort(new Error('interrupted'));
    await expect(writing).rejects.toThrow('interrupted');
    await file.close();
    closeSync(reader);
  });
});

it('a descriptor of this process is written beside its messages, not replaced', SLOW, async () => {
  const path = join(await createTemporaryFolder(), 'log');
  const module = join(import.meta.dirname, '../../src/kernel/output-file.ts');
  await writeFile(path, 'first\n');
  for (const [name, flags] of [
    ['/dev/stdout', 'a'],
    ['/dev/stdout', 'w'],
    ['/dev/fd/1', 'w'],
  ] as const) {
    const script = `const { writeOutputFile } = await import('${module}');
      console.log('before');
      await writeOutputFile('${name}', 'output\\n');
      console.log('after');`;
    const stdio = ['ignore', openSync(path, flags), 'inherit'] as const;
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { stdio: [...stdio] });
    expect(await readFile(path, 'utf8')).toBe(
      `${flags === 'a' ? 'first\n' : ''}before\noutput\nafter\n`,
    );
  }
});
