import { appendFile, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RecordResult, RecordStatus } from '../../src/bulk/batches.ts';
import { openInputFile } from '../../src/bulk/input-file.ts';
import { createRecordLocator } from '../../src/bulk/record-position.ts';
import { openRejectsFile } from '../../src/bulk/rejects-file.ts';
import { openResultsFile } from '../../src/bulk/results-file.ts';
import type { Source, SourceRecord } from '../../src/bulk/source/source.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';

const INPUTS = {
  'users.json': '[\n  {"userId": "a"},\n  {"userId": "0123",\n   "name": "é"},\n {"userId":"c"}]',
  'users.ndjson': '{"userId": "a"}\r\n{"userId": "0123", "name": "é"}\r\n{"userId":"c"}',
  'users.csv': 'userId;name\r\na;\r\n0123;"x;\r\ny"\r\nc;z\r\n',
  'users.yaml': 'users:\n- userId: a\n- userId: 0123\n  name: no\n- userId: c\n',
} as const;

async function open(folder: string, file: string) {
  const input = await openInputFile({
    file,
    cwd: folder,
    stdin: { stream: process.stdin },
    listName: 'users',
    knownFields: ['userId', 'name'],
    targetFields: [],
    id: 'userId',
    spool: join(folder, 'spool'),
    signal: new AbortController().signal,
  });
  const source: Source = await input.open();
  const records: SourceRecord[] = [];
  for await (const block of source.recordChunks) records.push(...block);
  return {
    source,
    records,
    format: { ...source, encoding: input.encoding(), isConverted: false },
    locate: createRecordLocator([{ name: file, first: 0 }]),
  };
}

const itemsOf = (
  records: readonly SourceRecord[],
  status: RecordStatus,
  code: string | null = null,
): readonly RecordResult[] =>
  records.map(({ value, line, text }, index) => ({
    record: {
      id: (value as { userId: string }).userId,
      index,
      line,
      value,
      text,
      jsonLine: JSON.stringify(value),
      json: text,
    },
    status,
    message: 'said',
    code,
  }));

describe('the rejects', () => {
  it.each(Object.entries(INPUTS))('of %s can be fed back', async (file, text) => {
    const folder = await createTemporaryFolder();
    await writeFile(join(folder, file), text);
    const { source, records, format, locate } = await open(folder, file);
    const rejects = await openRejectsFile({ folder, format, locate });
    await rejects.add(itemsOf(records.slice(1, 2), 'failed', 'already-exists'));
    await rejects.add(itemsOf(records.slice(2), 'unknown'));
    const written = await rejects.close();
    const name = `users.rejects${file.slice('users'.length)}`;
    expect(written?.path).toBe(join(folder, name));
    const again = await open(folder, name);
    expect(again.records.map(({ value }) => value)).toEqual(
      records.slice(1).map(({ value }) => value),
    );
    expect(again.source.preamble()).toBe(source.preamble());
    const reasons = await readFile(join(folder, `${name}.reasons.ndjson`), 'utf8');
    const lines = reasons.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        line: records[1]?.line,
        id: '0123',
        status: 'failed',
        code: 'already-exists',
        message: 'said',
      },
      { line: records[2]?.line, id: 'c', status: 'unknown', code: null, message: 'said' },
    ]);
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  });

  async function world() {
    const folder = await createTemporaryFolder();
    await writeFile(join(folder, 'users.json'), INPUTS['users.json']);
    const { records, format, locate } = await open(folder, 'users.json');
    return { folder, format, locate, items: itemsOf(records, 'failed') };
  }

  it('never go over another file', async () => {
    const { folder, format, locate, items } = await world();
    const paths: (string | undefined)[] = [];
    for (const name of [
      'users.json',
      'users.json.gz',
      'users.rejects.json',
      'users.rejects.2.json',
    ]) {
      const rejects = await openRejectsFile({
        folder,
        locate: locate,
        format: { ...format, name },
      });
      await rejects.add(items);
      paths.push((await rejects.close())?.path.slice(folder.length + 1));
    }
    expect(paths).toEqual(
      [1, 2, 3, 4].map((number) => `users.rejects${number > 1 ? `.${number}` : ''}.json`),
    );
  });

  it('leave no file without rejects', async () => {
    const { folder, format, locate } = await world();
    const rejects = await openRejectsFile({
      folder,
      format,
      locate,
      path: join(folder, 'again.json'),
    });
    expect(await rejects.close()).toBeUndefined();
    expect(await readdir(folder)).toEqual(['users.json']);
  });

  it('replace what an earlier run of the job wrote, and nothing that was edited since', async () => {
    for (const path of ['users.rejects.json', 'named.json']) {
      const { items, ...where } = await world();
      const { folder } = where;
      const request = { ...where, ...(path === 'named.json' && { path: join(folder, path) }) };
      const first = await openRejectsFile(request);
      await first.add(items.slice(0, 1));
      const earlier = await first.close();
      if (!earlier) throw new Error('no rejects');
      const second = await openRejectsFile({ ...request, earlier });
      await second.add(items);
      const later = await second.close();
      if (!later) throw new Error('no rejects');
      expect(JSON.parse(await readFile(join(folder, path), 'utf8'))).toHaveLength(3);
      await appendFile(join(folder, path), ' ');
      const edited = await readFile(join(folder, path), 'utf8');
      const third = await openRejectsFile({ ...request, earlier: later });
      await third.add(items);
      expect((await third.close())?.path).toBe(join(folder, path.replace('.json', '.2.json')));
      expect(await readFile(join(folder, path), 'utf8')).toBe(edited);
    }
  });

  it('never touch a file with records, and go to the next free path', async () => {
    const { folder, format, locate, items } = await world();
    const path = join(folder, 'again.json');
    await writeFile(path, '[{"userId": "fixed by hand"}]');
    await writeFile(join(folder, 'again.2.json'), '');
    await writeFile(join(folder, 'again.3.json.reasons.ndjson'), 'notes');
    const paths: (string | undefined)[] = [];
    for (const rejected of [[], items, items]) {
      const rejects = await openRejectsFile({ folder, format, locate, path });
      await rejects.add(rejected);
      paths.push((await rejects.close())?.path.slice(folder.length + 1));
    }
    expect(paths).toEqual([undefined, 'again.2.json', 'again.4.json']);
    expect(await readFile(path, 'utf8')).toBe('[{"userId": "fixed by hand"}]');
    expect(await readFile(join(folder, 'again.3.json.reasons.ndjson'), 'utf8')).toBe('notes');
    expect(JSON.parse(await readFile(join(folder, 'again.2.json'), 'utf8'))).toHaveLength(3);
    expect((await readdir(folder)).filter((name) => name.includes('staged'))).toEqual([]);
  });

  it('do not go to a circular link', async () => {
    const { folder, format, locate } = await world();
    await symlink('loop.json', join(folder, 'loop.json'));
    const rejects = openRejectsFile({ folder, format, locate, path: join(folder, 'loop.json') });
    await expect(rejects).rejects.toMatchObject({
      failure: 'local',
      message: expect.stringContaining('loop.json: is a circular link'),
    });
  });

  it('go to the target of a link that has none', async () => {
    const { folder, items, ...where } = await world();
    await mkdir(join(folder, 'elsewhere'));
    await symlink('elsewhere/rejects.json', join(folder, 'link.json'));
    const rejects = await openRejectsFile({ ...where, folder, path: join(folder, 'link.json') });
    await rejects.add(items);
    await rejects.close();
    expect((await readdir(join(folder, 'elsewhere'))).toSorted()).toEqual(['rejects.json']);
    expect(JSON.parse(await readFile(join(folder, 'link.json'), 'utf8'))).toHaveLength(3);
  });

  it('go to the other folder with a warning if theirs is missing', async () => {
    const { folder, items, ...where } = await world();
    const warnings: string[] = [];
    const warn = async (text: string) => void warnings.push(text);
    const missing = join(folder, 'missing');
    const rejects = await openRejectsFile({
      ...where,
      folder: missing,
      fallbackFolder: folder,
      warn,
    });
    expect(warnings).toEqual([
      `cannot write ${missing}/users.rejects.json: no such file; failed records will be saved in ${folder}`,
    ]);
    await rejects.add(items);
    expect((await rejects.close())?.path).toBe(join(folder, 'users.rejects.json'));
  });
});

describe('the results', () => {
  async function createResults(before?: string) {
    const folder = await createTemporaryFolder();
    await writeFile(join(folder, 'users.json'), INPUTS['users.json']);
    const { records, locate } = await open(folder, 'users.json');
    const path = join(folder, 'results.ndjson');
    const stage = join(folder, 'stage');
    if (before !== undefined) await writeFile(path, before, { mode: 0o644 });
    return { folder, path, items: itemsOf(records, 'succeeded'), request: { path, stage, locate } };
  }

  const EXPECTED = [
    { id: 'a', line: 2, status: 'succeeded', message: 'said', code: null },
    { id: 'c', line: 5, status: 'succeeded', message: 'said', code: null },
  ];
  const read = async (path: string) =>
    (await readFile(path, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

  it('hold a line for each record, and continue after the settled ones', async () => {
    const { path, items, request } = await createResults();
    const first = await openResultsFile(request);
    await first.write(items.slice(0, 1));
    const { saved } = first;
    await first.write(items.slice(1, 2));
    await first.close(false);
    const second = await openResultsFile({ ...request, saved });
    await second.write(items.slice(2));
    await second.close(true);
    expect(await read(path)).toEqual(EXPECTED);
  });

  it('replace older ones only when they are complete', async () => {
    const { folder, path, items, request } = await createResults('old');
    const first = await openResultsFile(request);
    await first.write(items.slice(0, 1));
    await first.close(false);
    expect(await readFile(path, 'utf8')).toBe('old');
    const second = await openResultsFile({ ...request, saved: first.saved });
    await second.write(items.slice(2));
    expect(await readFile(path, 'utf8')).toBe('old');
    await second.close(true);
    expect(await read(path)).toEqual(EXPECTED);
    expect((await stat(path)).mode & 0o777).toBe(0o644);
    expect((await readdir(folder)).toSorted()).toEqual(['results.ndjson', 'users.json']);
  });

  it('are removed without results, unless the file existed', async () => {
    const created = await createResults();
    await (await openResultsFile(created.request)).discard();
    expect(await readdir(created.folder)).toEqual(['users.json']);
    const existing = await createResults('old');
    await (await openResultsFile(existing.request)).discard();
    expect(await readFile(existing.path, 'utf8')).toBe('old');
    expect(await readdir(existing.folder)).toEqual(['results.ndjson', 'users.json']);
  });
});
