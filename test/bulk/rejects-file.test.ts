import { appendFile, readdir, readFile, stat, writeFile } from 'node:fs/promises';
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
    stdin: process.stdin,
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
      const third = openRejectsFile({ ...request, earlier: later });
      if (path === 'named.json') await expect(third).rejects.toMatchObject({ failure: 'usage' });
      else {
        await (await third).add(items);
        expect((await (await third).close())?.path).toBe(join(folder, 'users.rejects.2.json'));
      }
      expect(await readFile(join(folder, path), 'utf8')).toBe(edited);
    }
  });

  it('keep the file at their path until there are some', async () => {
    const { folder, format, locate, items } = await world();
    const path = join(folder, 'old.json');
    await writeFile(
      path,
      'precious and longer than what comes after it, by far and by any measure that there is',
    );
    const rejects = await openRejectsFile({ folder, format, locate, path });
    expect(await readFile(path, 'utf8')).toContain('precious');
    await rejects.add(items.slice(0, 1));
    await rejects.close();
    expect(JSON.parse(await readFile(path, 'utf8'))).toHaveLength(1);
  });
});

describe('the results', () => {
  it('hold a line for each record, and continue after the settled ones', async () => {
    const folder = await createTemporaryFolder();
    await writeFile(join(folder, 'users.json'), INPUTS['users.json']);
    const { records, locate } = await open(folder, 'users.json');
    const items = itemsOf(records, 'succeeded');
    const path = join(folder, 'results.ndjson');
    const first = await openResultsFile(path, locate, undefined);
    await first.write(items.slice(0, 1));
    const kept = first.bytes;
    await first.write(items.slice(1, 2));
    await first.close();
    const second = await openResultsFile(path, locate, kept);
    await second.write(items.slice(2));
    await second.close();
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { id: 'a', line: 2, status: 'succeeded', message: 'said', code: null },
      { id: 'c', line: 5, status: 'succeeded', message: 'said', code: null },
    ]);
  });
});
