import { execFileSync } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BulkRecord } from '../../src/bulk/batches.ts';
import { readCheckedRecords } from '../../src/bulk/checked-records.ts';
import { formatDiagnostic } from '../../src/bulk/diagnostic.ts';
import { checkRecords } from '../../src/bulk/record-check.ts';
import type { RecordRules } from '../../src/bulk/record-checker.ts';
import { type FileChoice, openInput } from '../../src/bulk/record-input.ts';
import { createRecordLocator } from '../../src/bulk/record-position.ts';
import { bulkFieldsOf } from '../../src/catalog/bulk-fields.ts';
import type { InputFormat } from '../../src/catalog/bulk-options.ts';
import { users } from '../../src/catalog/users.ts';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';

const fields = bulkFieldsOf(users['users.add']);
const { signal } = new AbortController();

interface Given {
  readonly files?: readonly FileChoice[];
  readonly stdin?: string;
  readonly rules?: Partial<RecordRules>;
}

/** Both readings of files that are written first. */
async function read(
  texts: Readonly<Record<string, string>>,
  { files, stdin = '', rules: given = {} }: Given = {},
) {
  const cwd = await createTemporaryFolder();
  for (const [name, text] of Object.entries(texts)) await writeFile(join(cwd, name), text);
  const input = await openInput({
    files: files ?? Object.keys(texts).map((file) => ({ file })),
    cwd,
    signal,
    stdin: { stream: Readable.from([Buffer.from(stdin)]) },
    spool: join(cwd, 'spool'),
    listName: 'users',
    knownFields: fields.knownFields,
    targetFields: fields.targetFields,
    id: fields.id,
  });
  const rules: RecordRules = {
    fields,
    shared: {},
    duplicates: 'fail',
    generateId: String,
    ...given,
  };
  const surveyed = await checkRecords(input, rules, signal);
  const records: BulkRecord[] = [];
  if (surveyed.diagnosticCount === 0) {
    for await (const block of readCheckedRecords(input, rules, surveyed))
      records.push(...block.records);
  }
  const place = createRecordLocator(
    input.files.map(({ name }, at) => ({ name, first: surveyed.files[at]?.first ?? 0 })),
  );
  const findings = surveyed.diagnostics.map(formatDiagnostic);
  return { cwd, input, surveyed, records, findings, place };
}

const FORMS: Readonly<
  Record<
    Exclude<InputFormat, 'xlsx'>,
    (ids: readonly string[]) => { text: string; lines: readonly number[] }
  >
> = {
  json: (ids) => ({
    text: `[\n${ids.map((userId) => JSON.stringify({ userId })).join(',\n')}\n]`,
    lines: ids.map((_, at) => at + 2),
  }),
  ndjson: (ids) => ({
    text: `\n${ids.map((userId) => `${JSON.stringify({ userId })}\n`).join('\n')}`,
    lines: ids.map((_, at) => 2 * at + 2),
  }),
  csv: (ids) => ({
    text: `userId,name\n${ids.map((userId) => `${userId},"a\nb"\n`).join('')}`,
    lines: ids.map((_, at) => 2 * at + 2),
  }),
  yaml: (ids) => ({
    text:
      ids.length === 0 ? '[]\n' : ids.map((userId) => `- userId: ${userId}\n  name: x\n`).join(''),
    lines: ids.map((_, at) => 2 * at + 1),
  }),
};

const formatted = fc.record({
  format: fc.constantFrom('json' as const, 'ndjson' as const, 'csv' as const, 'yaml' as const),
  count: fc.nat({ max: 5 }),
});

/** Files of users whose ids differ, and where each user stands. */
function filesOf(
  parts: readonly { readonly format: keyof typeof FORMS; readonly count: number }[],
) {
  const texts: Record<string, string> = {};
  const places: { readonly id: string; readonly file: string; readonly line: number }[] = [];
  for (const [at, { format, count }] of parts.entries()) {
    // NDJSON without records would be empty, which is refused.
    const ids = Array.from(
      { length: format === 'ndjson' ? count + 1 : count },
      (_, one) => `u${at}-${one}`,
    );
    const { text, lines } = FORMS[format](ids);
    const file = `${at}.${format}`;
    texts[file] = text;
    for (const [one, id] of ids.entries()) places.push({ id, file, line: lines[one] ?? 0 });
  }
  return { texts, places };
}

describe('records of several files', () => {
  it('are read in the order of the files, each with its position', SLOW, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(formatted, { minLength: 2, maxLength: 5 }), async (parts) => {
        const { texts, places } = filesOf(parts);
        const { records, place, surveyed } = await read(texts);
        expect(records.map(({ id, index, line }) => ({ id, ...place(index, line) }))).toEqual(
          places,
        );
        expect(records.map(({ index }) => index)).toEqual(places.map((_, at) => at));
        expect([surveyed.records, surveyed.read]).toEqual([places.length, places.length]);
      }),
      { numRuns: repeats(30) },
    );
  });

  it('are split into shards, each record in exactly one', async () => {
    const { texts, places } = filesOf([
      { format: 'csv', count: 40 },
      { format: 'json', count: 40 },
    ]);
    const shards = [1, 2, 3].map((part) => read(texts, { rules: { shard: { part, of: 3 } } }));
    const ids = (await Promise.all(shards)).flatMap(({ records }) => records.map(({ id }) => id));
    expect(ids.toSorted()).toEqual(places.map(({ id }) => id).toSorted());
  });

  const TWICE = { 'a.json': '[{"userId":"x","name":"1"}]', 'b.csv': 'userId,name\ny,2\nx,3\n' };

  it('with the same ID are reported with both files', async () => {
    expect((await read(TWICE)).findings).toEqual([
      "b.csv:3: userId: 'x' is already on line 1 of a.json",
    ]);
    for (const [duplicates, names] of [
      ['first', ['1', '2']] as const,
      ['last', ['2', '3']] as const,
    ]) {
      const { records, surveyed } = await read(TWICE, { rules: { duplicates } });
      expect(records.map(({ value }) => (value as { name: string }).name)).toEqual(names);
      expect([surveyed.records, surveyed.skipped]).toEqual([2, 1]);
    }
  });

  it('are all checked even if one file cannot be read to its end', async () => {
    const { findings, surveyed } = await read({
      'a.json': '[{},\n{"userId":"a"',
      'b.csv': 'userId,name\nb,"x',
      'c.yaml': '- name: c\n',
      'd.ndjson': '',
      'e.json': '',
    });
    expect(findings).toEqual([
      'a.json:1: userId: is required',
      'a.json:2:1: the JSON ends inside the value that begins here',
      'b.csv:2:3: the quote is not closed',
      'c.yaml:1: userId: is required',
      'e.json: the input is empty',
    ]);
    expect(surveyed.files.map(({ identity }) => identity === undefined)).toEqual([
      true,
      true,
      false,
      false,
      true,
    ]);
  });

  it('keep their IDs if files format their JSON differently', async () => {
    const { records } = await read({
      'a.ndjson': '{"userId":"a"}\n',
      'b.ndjson': '{"userId" : "b"}\n{"owner":{"userId" : "no"},"userId" : "c"}\n',
    });
    expect(records.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  });
});

describe('the files of an input', () => {
  it('can include a pipe, which is stored for the second reading', async () => {
    const files = [{ file: 'a.ndjson' }, { file: '-' }, { file: 'b.ndjson' }];
    const texts = { 'a.ndjson': '{"userId":"a"}', 'b.ndjson': '{"userId":"b"}' };
    const { records, input, cwd } = await read(texts, { files, stdin: '[{"userId":"piped"}]' });
    expect(records.map(({ id }) => id)).toEqual(['a', 'piped', 'b']);
    expect([input.name, input.readProgress.of]).toEqual(['a.ndjson, stdin, b.ndjson', undefined]);
    await input.discard();
    expect((await readdir(cwd)).toSorted()).toEqual(['a.ndjson', 'b.ndjson']);
  });

  it.skipIf(process.platform === 'win32')(
    'may be several pipes, each opened when its turn comes',
    async () => {
      const cwd = await createTemporaryFolder();
      const names = ['1', '2', '3', '4', '5', '6'].map((name) => join(cwd, `${name}.ndjson`));
      for (const name of names) execFileSync('mkfifo', [name]);
      const writing = (async () => {
        for (const [at, name] of names.entries()) await writeFile(name, `{"userId":"p${at}"}\n`);
      })();
      const { records } = await read({}, { files: names.map((file) => ({ file })) });
      await writing;
      expect(records.map(({ id }) => id)).toEqual(['p0', 'p1', 'p2', 'p3', 'p4', 'p5']);
    },
  );

  it('can have different formats, or one that is set for all', async () => {
    const texts = { 'a.txt': '{"userId":"a"}', 'b.json': '{"userId":"b"}' };
    const files = Object.keys(texts).map((file) => ({ file, format: 'ndjson' as const }));
    expect((await read(texts, { files })).records.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('are validated before the first of them is read', async () => {
    const text = { 'a.json': '[{}]' };
    for (const [files, message] of [
      [[{ file: 'a.json' }, { file: 'b.json' }], 'file not found: b.json'],
      [[{ file: 'a.json' }, { file: './a.json' }], '--file: ./a.json is given twice'],
      [[{ file: '-' }, { file: '-' }], '--file: stdin is given twice'],
    ] as const) {
      await expect(read(text, { files })).rejects.toMatchObject({ failure: 'usage', message });
    }
  });

  it('are counted if there are many', SLOW, async () => {
    const texts = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [`${at}.ndjson`, `{"userId":"u${at}"}`]),
    );
    const { input, records } = await read(texts);
    expect([records.length, input.name]).toEqual([30, '0.ndjson and 29 more files']);
    const { bytes, of } = input.readProgress;
    expect(bytes).toBe(of);
  });
});
