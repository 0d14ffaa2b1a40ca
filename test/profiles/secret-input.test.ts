import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readSecret, readSecretFile } from '../../src/profiles/secret-input.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const read = (...chunks: readonly (string | Uint8Array)[]) =>
  readSecret(Readable.from(chunks.map((chunk) => Buffer.from(chunk))), '--auth-token-stdin');

describe('a secret', () => {
  it.each(['token', 'token\n', 'token\r\n', 'token\n\n'])('comes without its trailing newline: %j', async (text) => {
    expect(await read(text)).toBe('token');
  });

  it('is read as Windows PowerShell writes it: UTF-16, or UTF-8 with a mark', async () => {
    expect(await read(Buffer.from('\ufefft\u00f6ken\r\n', 'utf16le'))).toBe('t\u00f6ken');
    expect(await read('\ufefft\u00f6ken\r\n')).toBe('t\u00f6ken');
  });

  it('keeps spaces, and characters that were cut between two reads', async () => {
    const bytes = Buffer.from('é à\n');
    expect(await read(bytes.subarray(0, 1), bytes.subarray(1))).toBe('é à');
  });

  it.each([
    ['hunter2\nsecond', 'more than one line'],
    ['hunter2\rsecond', 'more than one line'],
    ['hunter2\0', 'NUL'],
    ['hunter2\u20ac', 'Latin-1'],
    ['hunter2\u001b[0m', 'control character'],
    [Buffer.from([0x68, 0x75, 0x6e, 0xff]), 'Latin-1'],
    ['\n', 'empty'],
    ['', 'empty'],
    ['hunter2'.repeat(10_000), 'longer than 65536 bytes'],
  ])('that no header can carry is refused without repeating it: %j', async (text, reason) => {
    const refused = await read(text).catch((error: unknown) => error);
    expect(refused).toMatchObject({ failure: 'usage', message: expect.stringContaining(reason) });
    expect(refused).toMatchObject({ message: expect.stringContaining('--auth-token-stdin') });
    expect(String(refused)).not.toContain('hun');
  });

  it('can be in a file, and the error names one that is not there', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'token'), 'token\n');
    expect(await readSecretFile(join(folder, 'token'))).toBe('token');
    await expect(readSecretFile(join(folder, 'absent'))).rejects.toMatchObject({
      failure: 'usage',
      message: expect.stringContaining(join(folder, 'absent')),
    });
  });
});
