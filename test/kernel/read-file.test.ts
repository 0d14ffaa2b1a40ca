import { execFileSync } from 'node:child_process';
import { mkdir, open, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTextIfExists } from '../../src/kernel/files.ts';
import { readNamedFile } from '../../src/kernel/named-file.ts';
import { readFifo, readRegularFile } from '../../src/kernel/read-file.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';

async function newFifo(): Promise<string> {
  const path = join(await createTemporaryFolder(), 'fifo');
  execFileSync('mkfifo', [path]);
  return path;
}

/** Writes chunks to a FIFO once it has a reader. */
async function deliver(path: string, ...chunks: readonly string[]): Promise<void> {
  const file = await open(path, 'w');
  for (const chunk of chunks) await file.write(chunk);
  await file.close();
}

describe('a file that the user did not name', () => {
  it('is read completely, up to a maximum size', async () => {
    const path = join(await createTemporaryFolder(), 'file');
    await writeFile(path, 'x'.repeat(100_000));
    expect((await readRegularFile(path, 100_000)).length).toBe(100_000);
    await expect(readRegularFile(path, 99_999)).rejects.toThrow('is larger than 99999 bytes');
  });

  it.runIf(process.platform === 'linux')('is read even if the system reports no size', async () => {
    expect((await readRegularFile('/proc/self/status')).toString()).toContain('Name:');
  });

  it.each([
    ['a FIFO', 'not a regular file', async (path: string) => void execFileSync('mkfifo', [path])],
    ['a link to a device', 'not a regular file', (path: string) => symlink('/dev/zero', path)],
    ['a folder', 'is a folder', (path: string) => mkdir(path)],
    [
      'endless',
      'is larger than 4 MB',
      async (path: string) => {
        await writeFile(path, '');
        await truncate(path, 2 ** 40);
      },
    ],
  ])('is rejected immediately if it is %s', async (_, reason, make) => {
    const path = join(await createTemporaryFolder(), 'settings.json');
    await make(path);
    await expect(readTextIfExists(path)).rejects.toMatchObject({
      failure: 'local',
      message: expect.stringMatching(new RegExp(`^cannot read ${path}: .*${reason}`)),
    });
  });
});

/** A signal that does not abort. */
const NEVER = new AbortController().signal;

describe('a file that the user named', () => {
  it('may be a FIFO with a writer that opens it later and writes in pieces', async () => {
    const path = await newFifo();
    const reading = readNamedFile(path, '/', { signal: NEVER });
    await deliver(path, 'one ', 'two');
    expect(String(await reading)).toBe('one two');
  });

  it('must end within the timeout', async () => {
    await expect(
      readNamedFile(await newFifo(), '/', { timeout: 50, signal: NEVER }),
    ).rejects.toMatchObject({
      failure: 'local',
      message: expect.stringContaining('did not end within 0.05 s'),
    });
  });

  it('is not waited for after the signal aborts', async () => {
    const stop = new AbortController();
    const reading = readNamedFile(await newFifo(), '/', { signal: stop.signal });
    stop.abort(new Error('stopped'));
    await expect(reading).rejects.toThrow('stopped');
  });

  it.each([
    ['/dev/zero', 'invalid_input', 'is larger than 1000 bytes'],
    [import.meta.dirname, 'usage', 'is a folder'],
    [import.meta.filename, 'invalid_input', 'is larger than 1000 bytes'],
  ])('is limited: %s', async (path, failure, message) => {
    const refused = readNamedFile(path, '/', { maxBytes: 1_000, signal: NEVER });
    await expect(refused).rejects.toMatchObject({
      failure,
      message: expect.stringContaining(message),
    });
  });

  it('may be empty', async () => {
    expect(await readNamedFile('/dev/null', '/', { signal: NEVER })).toHaveLength(0);
  });
});

describe('a FIFO of records', () => {
  it('yields data as it arrives, until the writer closes it', async () => {
    const path = await newFifo();
    const writing = deliver(path, 'a'.repeat(100_000));
    let text = '';
    for await (const chunk of readFifo(path, new AbortController().signal)) text += chunk;
    await writing;
    expect(text).toBe('a'.repeat(100_000));
  });

  it('is not waited for after the signal aborts', async () => {
    const stop = new AbortController();
    const reading = readFifo(await newFifo(), stop.signal).next();
    stop.abort(new Error('stopped'));
    await expect(reading).rejects.toThrow('stopped');
  });
});
