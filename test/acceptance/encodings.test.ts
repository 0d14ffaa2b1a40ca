import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newUserInProcess, runInProcess } from './in-process.ts';

/** The text of an export, where the document `old` already exists. */
const TEXT = 'documentId;documentName\r\nold;Müller €\r\nnew;Größe\r\n';
const WINDOWS_1252 = Buffer.from(TEXT.replace('€', '\x80'), 'latin1');
const ADD = ['documents', 'add', '--local', '--org', 'acme'];

async function openUser(bytes: Uint8Array) {
  const { home, env, svc } = await newUserInProcess();
  expect((await svc([...ADD, '--document', 'old', '--name', 'Taken'])).code).toBe(0);
  const path = (name: string) => join(home, name);
  await writeFile(path('export.csv'), bytes);
  const names = async () =>
    (
      await svc([
        'documents',
        'list',
        '--local',
        '--org',
        'acme',
        '--fields',
        'documentName',
        '-o',
        'csv',
      ])
    ).stdout;
  const pipe = (words: readonly string[], stdin: Uint8Array) =>
    runInProcess(words, { cwd: home, env, stdin });
  return { svc, path, names, pipe };
}

describe('a CSV file that Excel wrote as Windows-1252', () => {
  it('is rejected with the position, the character, and the flag', async () => {
    const { svc } = await openUser(WINDOWS_1252);
    const message =
      'export.csv:2:6: byte 0xfc is not UTF-8 (Windows-1252: "ü"); add --encoding windows-1252';
    const added = await svc([...ADD, '--file', 'export.csv']);
    expect(added.code).toBe(3);
    expect(added.stderr).toContain(message);
    for (const words of [
      [...ADD, '--dry-run'],
      ['documents', 'validate'],
    ]) {
      const { code, stdout } = await svc([...words, '--file', 'export.csv']);
      expect([code, stdout]).toEqual([3, `${message}\n`]);
    }
  });

  it('is imported with the flag, and its rejects keep the encoding', async () => {
    const { svc, path, names } = await openUser(WINDOWS_1252);
    const { code, stderr } = await svc([...ADD, '--file', 'export.csv', '--encoding', 'latin1']);
    expect(code).toBe(10);
    expect(await names()).toBe('documentName\r\nTaken\r\nGröße\r\n');
    const rejects = await readFile(path('export.rejects.csv'));
    expect(rejects.toString('latin1')).toBe('documentId;documentName\nold;M\xfcller \x80\n');
    expect(stderr).toContain('--file export.rejects.csv --encoding windows-1252');

    await writeFile(
      path('export.rejects.csv'),
      Buffer.from(rejects.toString('latin1').replace('old;', 'other;'), 'latin1'),
    );
    const again = ['--file', 'export.rejects.csv', '--encoding', 'windows-1252'];
    expect(await svc([...ADD, ...again])).toMatchObject({ code: 0, stderr: '' });
    expect(await names()).toContain('Müller €');
  });

  it('can come from a pipe', async () => {
    const { pipe, names } = await openUser(WINDOWS_1252);
    const words = [
      '--file',
      '-',
      '--input-format',
      'csv',
      '--encoding',
      'cp1252',
      '--if-exists',
      'skip',
    ];
    expect((await pipe([...ADD, ...words], WINDOWS_1252)).code).toBe(0);
    expect(await names()).toContain('Größe');
  });
});

it('a resumed job reads its input in the encoding of its first run', async () => {
  const { svc, names } = await openUser(WINDOWS_1252);
  const stop = ['--on-error', 'stop', '--batch-size', '1', '--concurrency', '1'];
  const words = [...ADD, '--file', 'export.csv', '--encoding', 'windows-1252', ...stop];
  expect((await svc(words)).code).toBe(11);
  expect(await names()).not.toContain('Größe');
  expect((await svc(['jobs', 'resume'])).code).toBe(10);
  expect(await names()).toContain('Größe');
});

describe('rejects of a file with a byte order mark', () => {
  it.each(['utf8', 'utf16le'] as const)('have the mark too: %s', async (encoding) => {
    const { svc, path } = await openUser(Buffer.from(`\ufeff${TEXT}`, encoding));
    const { code, stderr } = await svc([...ADD, '--file', 'export.csv']);
    expect(code).toBe(10);
    expect(await readFile(path('export.rejects.csv'), encoding)).toBe(
      '\ufeffdocumentId;documentName\nold;Müller €\n',
    );
    expect(stderr).toContain('svc --local documents add --org acme --file export.rejects.csv\n');
  });
});

it('files in different encodings share rejects in UTF-8', async () => {
  const { svc, path } = await openUser(WINDOWS_1252);
  await writeFile(path('more.csv'), `\ufeff${TEXT.replace('new', 'newer')}`);
  const files = ['--file', 'export.csv', '--file', 'more.csv', '--duplicates', 'first'];
  const { code } = await svc([...ADD, ...files, '--encoding', 'windows-1252']);
  expect(code).toBe(10);
  expect(await readFile(path('documents.rejects.ndjson'), 'utf8')).toBe(
    '{"documentId":"old","documentName":"Müller €"}\n',
  );
});

it('an encoding that svc does not support is a usage error', async () => {
  const { svc } = await openUser(WINDOWS_1252);
  const { code, stderr } = await svc([...ADD, '--file', 'export.csv', '--encoding', 'cp850']);
  expect([code, stderr]).toEqual([
    2,
    "svc: --encoding does not support 'cp850'\n" +
      'hint: use a label such as windows-1252, utf-16le, macintosh, or shift_jis, or convert the file to UTF-8\n',
  ]);
});
