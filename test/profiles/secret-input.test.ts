import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readSecretFromFile, readSecretFromStream } from '../../src/profiles/secret-input.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';

const read = (...chunks: readonly (string | Uint8Array)[]) =>
  readSecretFromStream(
    Readable.from(chunks.map((chunk) => Buffer.from(chunk))),
    '--auth-token-stdin',
  );

describe('a secret', () => {
  it.each(['token', 'token\n', 'token\r\n', 'token\n\n'])(
    'loses its trailing newline: %j',
    async (text) => {
      expect(await read(text)).toBe('token');
    },
  );

  it('is read in the encodings of Windows PowerShell: UTF-16, or UTF-8 with a byte order mark', async () => {
    expect(await read(Buffer.from('\ufefft\u00f6ken\r\n', 'utf16le'))).toBe('t\u00f6ken');
    expect(await read('\ufefft\u00f6ken\r\n')).toBe('t\u00f6ken');
  });

  it('keeps spaces, and characters that are split between two reads', async () => {
    const bytes = Buffer.from('é à\n');
    expect(await read(bytes.subarray(0, 1), bytes.subarray(1))).toBe('é à');
  });

  it.each([
    ['hunter2\nsecond', 'line break'],
    ['hunter2\rsecond', 'line break'],
    ['hunter2\0', 'NUL'],
    ['hunter2\u20ac', 'Latin-1'],
    ['hunter2\u001b[0m', 'control character'],
    ['\n', 'empty'],
    ['', 'empty'],
    ['hunter2'.repeat(10_000), 'longer than 65536 bytes'],
  ])('that is not valid in a header is rejected without repeating it: %j', async (text, reason) => {
    const refused = await read(text).catch((error: unknown) => error);
    expect(refused).toMatchObject({ failure: 'usage', message: expect.stringContaining(reason) });
    expect(refused).toMatchObject({ message: expect.stringContaining('--auth-token-stdin') });
    expect(String(refused)).not.toContain('hun');
  });

  it.each([
    'apiKey   k\nnewAuthToken\n  token  hunter2\n',
    'apiKey,token\nk,hunter2\n',
    'apiKey: k\nnewAuthToken:\n  token: hunter2\n',
    '{"apiKey":"k","newAuthToken":{"token":"hunter2"}}\n',
  ])(
    'that is the result of a command is rejected with the flag that prints only the secret: %j',
    async (text) => {
      const refused = await read(text).catch((error: unknown) => error);
      expect(refused).toMatchObject({
        failure: 'usage',
        hint: expect.stringContaining('add -q to the command'),
      });
      expect(String(refused)).not.toContain('hun');
    },
  );

  it('can be read from a file, and the error names a missing file', async () => {
    const folder = await createTemporaryFolder();
    const { signal } = new AbortController();
    await writeFile(join(folder, 'token'), 'token\n');
    expect(await readSecretFromFile(join(folder, 'token'), signal)).toBe('token');
    await expect(readSecretFromFile(join(folder, 'absent'), signal)).rejects.toMatchObject({
      failure: 'usage',
      message: expect.stringContaining(join(folder, 'absent')),
    });
  });
});
