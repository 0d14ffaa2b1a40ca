import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openInput } from '../../src/bulk/input.ts';
import type { ItemStatus } from '../../src/bulk/record.ts';
import { Recorder } from '../../src/bulk/recorder.ts';
import type { Source, SourceRecord } from '../../src/bulk/source/record.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const INPUTS = {
  'users.json': '[\n  {"userId": "a"},\n  {"userId": "0123",\n   "name": "é"},\n {"userId":"c"}]',
  'users.ndjson': '{"userId": "a"}\r\n{"userId": "0123", "name": "é"}\r\n{"userId":"c"}',
  'users.csv': 'userId;name\r\na;\r\n0123;"x;\r\ny"\r\nc;z\r\n',
  'users.yaml': 'users:\n- userId: a\n- userId: 0123\n  name: no\n- userId: c\n',
} as const;

async function open(folder: string, file: string) {
  const input = await openInput({
    file,
    cwd: folder,
    stdin: process.stdin,
    field: 'users',
    fields: ['userId', 'name'],
    idField: 'userId',
    spool: join(folder, 'spool'),
    signal: new AbortController().signal,
  });
  const source: Source = await input.open();
  const records: SourceRecord[] = [];
  for await (const block of source.blocks) records.push(...block);
  return { source, records };
}

const settled = (records: readonly SourceRecord[], status: ItemStatus, code: string | null = null) => ({
  kind: 'settled' as const,
  items: records.map(({ value, line, text }, index) => ({
    record: { id: (value as { userId: string }).userId, index, line, value, text, json: text },
    status,
    message: 'said',
    code,
  })),
  requests: 1,
  retries: 0,
});

describe('the rejects', () => {
  it.each(Object.entries(INPUTS))('of %s can be fed back', async (file, text) => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, file), text);
    const { source, records } = await open(folder, file);
    const recorder = await Recorder.open({ cwd: folder, source });
    await recorder.settle(settled(records.slice(0, 1), 'succeeded'));
    await recorder.settle(settled(records.slice(1, 2), 'failed', 'already-exists'));
    await recorder.settle(settled(records.slice(2), 'unknown'));
    const path = await recorder.close();
    const extension = file.slice('users'.length);
    expect(path).toBe(`users.rejects${extension}`);
    const again = await open(folder, `users.rejects${extension}`);
    expect(again.records.map(({ value }) => value)).toEqual(records.slice(1).map(({ value }) => value));
    expect(again.source.preamble()).toBe(source.preamble());
    const reasons = await readFile(join(folder, `${path}.reasons.ndjson`), 'utf8');
    expect(
      reasons
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { line: records[1]?.line, id: '0123', status: 'failed', code: 'already-exists', message: 'said' },
      { line: records[2]?.line, id: 'c', status: 'unknown', code: null, message: 'said' },
    ]);
    expect((await stat(join(folder, path ?? ''))).mode & 0o777).toBe(0o600);
  });

  it('never go over another file', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'users.json'), INPUTS['users.json']);
    const paths: (string | null)[] = [];
    for (const file of ['users.json', 'users.rejects.json', 'users.rejects.2.json']) {
      const { source, records } = await open(folder, file);
      const recorder = await Recorder.open({ cwd: folder, source });
      await recorder.settle(settled(records, 'failed'));
      paths.push(await recorder.close());
    }
    expect(paths).toEqual(['users.rejects.json', 'users.rejects.2.json', 'users.rejects.3.json']);
  });

  it('leave no file when everything landed, or nothing did', async () => {
    for (const status of ['succeeded', 'skipped'] as const) {
      const folder = await temporaryFolder();
      await writeFile(join(folder, 'users.json'), INPUTS['users.json']);
      const { source, records } = await open(folder, 'users.json');
      const recorder = await Recorder.open({ cwd: folder, source, rejects: 'again.json' });
      await recorder.settle(settled(records, status));
      expect(await recorder.close()).toBeNull();
      expect(await readdir(folder)).toEqual(['users.json']);
    }
  });

  it('leave out what another record stands for', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'users.json'), INPUTS['users.json']);
    const { source, records } = await open(folder, 'users.json');
    const recorder = await Recorder.open({ cwd: folder, source });
    await recorder.leaveOut(settled(records.slice(0, 1), 'skipped').items.map(({ record }) => record));
    await recorder.settle(settled(records.slice(1), 'failed'));
    const path = await recorder.close();
    expect(JSON.parse(await readFile(join(folder, path ?? ''), 'utf8'))).toHaveLength(2);
    expect(recorder.tally.counts).toEqual({ succeeded: 0, failed: 2, unknown: 0, skipped: 1 });
  });

  it('go to no path that is the input, or that cannot be written', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'users.json'), INPUTS['users.json']);
    const { source } = await open(folder, 'users.json');
    const opened = (rejects: string) => Recorder.open({ cwd: folder, source, rejects });
    await expect(opened('./users.json')).rejects.toMatchObject({ failure: 'usage' });
    await expect(opened('missing/again.json')).rejects.toMatchObject({ failure: 'local' });
    expect(await readFile(join(folder, 'users.json'), 'utf8')).toBe(INPUTS['users.json']);
  });
});

describe('the results', () => {
  it('hold a line for each record', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'users.json'), INPUTS['users.json']);
    const { source, records } = await open(folder, 'users.json');
    const recorder = await Recorder.open({ cwd: folder, source, results: 'results.ndjson' });
    await recorder.settle(settled(records.slice(0, 2), 'succeeded'));
    await recorder.settle(settled(records.slice(2), 'skipped', 'not_sent'));
    await recorder.close();
    const lines = (await readFile(join(folder, 'results.ndjson'), 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { id: 'a', line: 2, status: 'succeeded', message: 'said', code: null },
      { id: '0123', line: 3, status: 'succeeded', message: 'said', code: null },
      { id: 'c', line: 5, status: 'skipped', message: 'said', code: 'not_sent' },
    ]);
  });

  it.runIf(process.platform === 'linux')('that cannot be written end the sending, with exit 12', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'users.json'), INPUTS['users.json']);
    const { source, records } = await open(folder, 'users.json');
    const recorder = await Recorder.open({ cwd: folder, source, results: '/dev/full' });
    expect(recorder.broken.aborted).toBe(false);
    await recorder.settle(settled(records, 'failed'));
    expect(recorder.broken.reason).toMatchObject({
      failure: 'local',
      message: 'cannot write /dev/full: the disk is full',
    });
    expect(recorder.tally.total).toBe(3);
  });
});
