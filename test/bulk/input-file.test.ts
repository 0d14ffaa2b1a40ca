import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { appendFile, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type InputFile, type InputFileRequest, openInputFile } from '../../src/bulk/input-file.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';

const TEXT = Array.from({ length: 5000 }, (_, at) => `{"userId":"u${at}"}\n`).join('');

async function open(
  file: string,
  given: Partial<InputFileRequest> = {},
): Promise<{ input: InputFile; cwd: string }> {
  const cwd = given.cwd ?? (await createTemporaryFolder());
  const input = await openInputFile({
    file,
    cwd,
    stdin: { stream: Readable.from([]) },
    signal: new AbortController().signal,
    spool: join(cwd, 'spool'),
    listName: 'users',
    knownFields: ['userId'],
    targetFields: [],
    id: 'userId',
    ...given,
  });
  return { input, cwd };
}

async function texts(input: InputFile): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const block of (await input.open()).recordChunks)
    found.push(...block.map(({ text }) => text));
  return found;
}

const piped = () => Readable.from([Buffer.from(TEXT.slice(0, 10)), Buffer.from(TEXT.slice(10))]);
const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('an input', () => {
  it('from a file can be read again, and is identified by size and hash', async () => {
    const cwd = await createTemporaryFolder();
    await writeFile(join(cwd, 'u.ndjson'), TEXT);
    const { input } = await open('u.ndjson', { cwd });
    const first = await texts(input);
    expect(first).toHaveLength(5000);
    expect(await texts(input)).toEqual(first);
    expect(input.fingerprint()).toEqual({ bytes: TEXT.length, sha256: sha256(TEXT) });
    expect([input.path, input.spooled]).toEqual([join(cwd, 'u.ndjson'), false]);
    await input.discard();
    expect(await readFile(join(cwd, 'u.ndjson'), 'utf8')).toBe(TEXT);
  });

  it('from stdin is stored in a private file until it is discarded', async () => {
    const { input, cwd } = await open('-', { stdin: { stream: piped() } });
    const first = await texts(input);
    expect(await texts(input)).toEqual(first);
    const spool = join(cwd, 'spool');
    expect([input.path, input.spooled]).toEqual([spool, true]);
    expect(await readFile(spool, 'utf8')).toBe(TEXT);
    if (process.platform !== 'win32') expect((await stat(spool)).mode & 0o777).toBe(0o600);
    await input.discard();
    await expect(stat(spool)).rejects.toThrow('ENOENT');
  });

  it('never overwrites an existing file', async () => {
    const cwd = await createTemporaryFolder();
    await writeFile(join(cwd, 'spool'), 'mine');
    await expect(open('-', { cwd, stdin: { stream: piped() } })).rejects.toMatchObject({
      failure: 'local',
    });
    expect(await readFile(join(cwd, 'spool'), 'utf8')).toBe('mine');
  });

  it.skipIf(process.platform === 'win32')('of a FIFO can be read again', async () => {
    const cwd = await createTemporaryFolder();
    execFileSync('mkfifo', [join(cwd, 'pipe.ndjson')]);
    const written = writeFile(join(cwd, 'pipe.ndjson'), TEXT);
    const { input } = await open('pipe.ndjson', { cwd });
    const first = await texts(input);
    await written;
    expect(first).toHaveLength(5000);
    expect(await texts(input)).toEqual(first);
  });

  it('that is compressed is decompressed, based on its name or its start', async () => {
    const packed = gzipSync(TEXT);
    const cwd = await createTemporaryFolder();
    await writeFile(join(cwd, 'u.ndjson.gz'), packed);
    const { input } = await open('u.ndjson.gz', { cwd });
    expect(await texts(input)).toHaveLength(5000);
    expect(input.fingerprint()).toEqual({ bytes: packed.length, sha256: sha256(packed) });
    const { input: stdin } = await open('-', {
      stdin: { stream: Readable.from([packed.subarray(0, 1), packed.subarray(1)]) },
    });
    expect(stdin.format).toBe('ndjson');
    expect(await texts(stdin)).toHaveLength(5000);
    expect(await texts(stdin)).toHaveLength(5000);
  });

  it('that is compressed and truncated is rejected, wherever it ends', async () => {
    const packed = gzipSync(
      randomBytes(200_000).toString('hex').replace(/.{40}/g, '{"userId":"$&"}\n'),
    );
    for (const length of [11, 5000, 100_000, packed.length - 1]) {
      const stdin = { stream: Readable.from([packed.subarray(0, length)]) };
      const reading = open('-', { stdin, format: 'ndjson' }).then(({ input }) => texts(input));
      await expect(reading).rejects.toMatchObject({
        failure: 'invalid_input',
        message: 'stdin: the gzip data is truncated',
      });
    }
  });

  it('that changed between two readings is rejected', async () => {
    const cwd = await createTemporaryFolder();
    const path = join(cwd, 'u.ndjson');
    await writeFile(path, TEXT);
    const { input } = await open('u.ndjson', { cwd });
    await texts(input);
    await appendFile(path, '{"userId":"more"}\n');
    await expect(texts(input)).rejects.toMatchObject({
      failure: 'invalid_input',
      message: 'u.ndjson changed while svc was reading it',
    });
    await writeFile(path, TEXT);
    await utimes(path, 1, 1);
    await expect(texts(input)).rejects.toMatchObject({ failure: 'invalid_input' });
  });

  it('stops when the job is aborted', async () => {
    const controller = new AbortController();
    const cwd = await createTemporaryFolder();
    await writeFile(join(cwd, 'u.ndjson'), TEXT.repeat(10));
    const { input } = await open('u.ndjson', { cwd, signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(texts(input)).rejects.toThrow('enough');
  });
});
