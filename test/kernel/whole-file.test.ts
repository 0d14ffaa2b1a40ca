import { execFileSync } from 'node:child_process';
import { mkdir, open, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTextIfExists } from '../../src/kernel/files.ts';
import { readNamedFile } from '../../src/kernel/named-file.ts';
import { readFifo, readRegularFile } from '../../src/kernel/whole-file.ts';
import { temporaryFolder } from '../temporary-folder.ts';

async function newFifo(): Promise<string> {
  const path = join(await temporaryFolder(), 'fifo');
  execFileSync('mkfifo', [path]);
  return path;
}

/** Writes chunks to a FIFO, once somebody reads it. */
async function deliver(path: string, ...chunks: readonly string[]): Promise<void> {
  const file = await open(path, 'w');
  for (const chunk of chunks) await file.write(chunk);
  await file.close();
}

describe('a file that svc finds by itself', () => {
  it('is read up to its end, and up to a size', async () => {
    const path = join(await temporaryFolder(), 'file');
    await writeFile(path, 'x'.repeat(100_000));
    expect((await readRegularFile(path, 100_000)).length).toBe(100_000);
    await expect(readRegularFile(path, 99_999)).rejects.toThrow('it is longer than 99999 bytes');
  });

  it.runIf(process.platform === 'linux')('is read where the system tells no size of it', async () => {
    expect((await readRegularFile('/proc/self/status')).toString()).toContain('Name:');
  });

  it.each([
    ['a FIFO', 'not a regular file', async (path: string) => void execFileSync('mkfifo', [path])],
    ['a link to a device', 'not a regular file', (path: string) => symlink('/dev/zero', path)],
    ['a folder', 'it is a folder', (path: string) => mkdir(path)],
    [
      'endless',
      'it is longer than 4 MB',
      async (path: string) => {
        await writeFile(path, '');
        await truncate(path, 2 ** 40);
      },
    ],
  ])('is refused at once when it is %s', async (_, reason, make) => {
    const path = join(await temporaryFolder(), 'settings.json');
    await make(path);
    await expect(readTextIfExists(path)).rejects.toMatchObject({
      failure: 'local',
      message: expect.stringMatching(new RegExp(`^cannot read ${path}: .*${reason}`)),
    });
  });
});

describe('a file that the user named', () => {
  it('may be a FIFO, whose writer comes later and writes in pieces', async () => {
    const path = await newFifo();
    const reading = readNamedFile(path, '/');
    await deliver(path, 'one ', 'two');
    expect(String(await reading)).toBe('one two');
  });

  it('has to deliver in time', async () => {
    await expect(readNamedFile(await newFifo(), '/', { patience: 50 })).rejects.toMatchObject({
      failure: 'local',
      message: expect.stringContaining('its end did not arrive within 0.05 s'),
    });
  });

  it('is no longer waited for once the run is stopped', async () => {
    const stop = new AbortController();
    const reading = readNamedFile(await newFifo(), '/', { signal: stop.signal });
    stop.abort(new Error('stopped'));
    await expect(reading).rejects.toThrow('stopped');
  });

  it.each([
    ['/dev/zero', 'usage', 'it is longer than 1000 bytes'],
    [import.meta.dirname, 'usage', 'is a folder'],
    [import.meta.filename, 'usage', 'it is longer than 1000 bytes'],
  ])('is bounded: %s', async (path, failure, message) => {
    const refused = readNamedFile(path, '/', { most: 1_000 });
    await expect(refused).rejects.toMatchObject({ failure, message: expect.stringContaining(message) });
  });

  it('may be empty', async () => {
    expect(await readNamedFile('/dev/null', '/')).toHaveLength(0);
  });
});

describe('a FIFO of records', () => {
  it('gives what arrives, up to the end of its writer', async () => {
    const path = await newFifo();
    const writing = deliver(path, 'a'.repeat(100_000));
    let text = '';
    for await (const chunk of readFifo(path, new AbortController().signal)) text += chunk;
    await writing;
    expect(text).toBe('a'.repeat(100_000));
  });

  it('is no longer waited for once the run is stopped', async () => {
    const stop = new AbortController();
    const reading = readFifo(await newFifo(), stop.signal).next();
    stop.abort(new Error('stopped'));
    await expect(reading).rejects.toThrow('stopped');
  });
});
