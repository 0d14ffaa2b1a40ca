import { rm } from 'node:fs/promises';
import type { DatabaseSync } from 'node:sqlite';
import { createLocalFileError, createPrivateFile } from '../kernel/files.ts';
import { isObject } from '../kernel/json.ts';
import { withoutExperimentalWarning } from '../kernel/process.ts';
import type { BulkRecord } from './batches.ts';
import { type CheckedLists, readCheckedRecords } from './checked-records.ts';
import { idWithinTarget } from './duplicates.ts';
import { IN_MEMORY } from './journal/database.ts';
import type { RecordCheck, RecordRules } from './record-checker.ts';
import type { RecordInput } from './record-input.ts';
import { lineOfFile } from './record-position.ts';
import { ChangedRecord } from './record-preparation.ts';
import { RecordTarget } from './record-targets.ts';

interface Row {
  readonly target: string;
  /** The number of records above this one, if the input does not order them. */
  readonly depth: number;
  readonly line: number | null;
  readonly skipped: number;
  readonly id: string;
  readonly json: string;
  readonly text: string;
}

const COLUMNS =
  'target text, depth integer, line integer, skipped integer, id text, json text, text text';
const PAGE_SIZE = 1_000;

/** The records of an input, ordered by target, with parents first, and then as in the input. */
export interface GroupedRecords {
  read(): AsyncGenerator<CheckedLists>;
  close(): void;
}

/**
 * Copies the records of an input to disk, grouped by target and depth, if the input mixes targets,
 * or has a record before its parent. The order
 * depends only on the input, so that a resumed job numbers its records like the first run. The file
 * is deleted while it is open, where possible.
 * @param path a private file, which is replaced
 * @param runSize number of records to sort at once
 * @throws SvcError `local` if the file cannot be written
 */
export async function groupIfMixed(
  input: RecordInput,
  rules: RecordRules,
  check: RecordCheck,
  signal: AbortSignal,
  path = IN_MEMORY,
  runSize = 5_000,
): Promise<GroupedRecords | undefined> {
  const { targets, fields } = rules;
  if (!targets?.areMixed && check.tree?.isOrdered !== false) return undefined;
  const isFile = path !== IN_MEMORY;
  const remove = () => (isFile ? rm(path, { force: true }) : undefined);
  await remove();
  if (isFile) await createPrivateFile(path);
  const { DatabaseSync } = await withoutExperimentalWarning('SQLite', () => import('node:sqlite'));
  const database = new DatabaseSync(path);
  try {
    database.exec(
      `pragma journal_mode = off; pragma synchronous = off; create table records (${COLUMNS}); begin`,
    );
    const insert = database.prepare('insert into records values (?, ?, ?, ?, ?, ?, ?)');
    const ends: number[] = [];
    let run: Row[] = [];
    const endRun = () => {
      for (const { target, depth, line, skipped, id, json, text } of run.sort(compareRows))
        insert.run(target, depth, line, skipped, id, json, text);
      ends.push((ends.at(-1) ?? 0) + run.length);
      run = [];
    };
    const toRow = createRowFactory(check);
    for await (const { records, skipped } of readCheckedRecords(input, rules, check)) {
      signal.throwIfAborted();
      run.push(
        ...records.map((record) => toRow(record, 0)),
        ...skipped.map((record) => toRow(record, 1)),
      );
      if (run.length >= runSize) endRun();
    }
    endRun();
    database.exec('commit');
    await remove()?.catch(() => undefined);
    return {
      read: () => readGrouped(mergeRuns(database, ends), fields.id),
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    await remove();
    throw error instanceof Error && 'errcode' in error
      ? createLocalFileError('write', path, error)
      : error;
  }
}

function compareRows(a: Row, b: Row): number {
  if (a.target !== b.target) return a.target < b.target ? -1 : 1;
  return a.depth - b.depth;
}

function createRowFactory({
  files,
  tree,
}: RecordCheck): (record: BulkRecord, skipped: number) => Row {
  const depthOf = (id: string, target: BulkRecord['target']) =>
    tree === undefined || tree.isOrdered ? 0 : tree.depthOf(idWithinTarget(id, target));
  const fileOf = (index: number) => files.findLastIndex(({ first }) => first <= index);
  return ({ id, index, line, target, json, text }, skipped) => ({
    target: target?.key ?? '',
    depth: depthOf(id, target),
    line: files.length > 1 ? lineOfFile(fileOf(index), line ?? 0) : line,
    skipped,
    // SQLite stores UTF-8, which cannot represent lone surrogates.
    id: JSON.stringify(id),
    json,
    text,
  });
}

/**
 * Merges sorted runs, which contain the records in the order of the input.
 * @param ends row IDs of the last records of the runs
 */
function* mergeRuns(database: DatabaseSync, ends: readonly number[]): Generator<Row> {
  const runs = ends.map((end, at) => {
    const query = database.prepare(
      'select * from records where rowid > ? and rowid <= ? order by rowid',
    );
    const rows = query.iterate(ends[at - 1] ?? 0, end) as IterableIterator<Row>;
    return { rows, head: rows.next() };
  });
  for (;;) {
    let first: Row | undefined;
    for (const { head } of runs)
      if (!head.done && (!first || compareRows(head.value, first) < 0)) first = head.value;
    if (!first) return;
    for (const run of runs)
      for (; !run.head.done && compareRows(run.head.value, first) === 0; run.head = run.rows.next())
        yield run.head.value;
  }
}

async function* readGrouped(rows: Iterable<Row>, idField: string): AsyncGenerator<CheckedLists> {
  let lists = { records: [] as BulkRecord[], skipped: [] as BulkRecord[] };
  let index = 0;
  for (const row of rows) {
    lists[row.skipped ? 'skipped' : 'records'].push(toRecord(row, index, idField));
    index += 1;
    if (index % PAGE_SIZE > 0) continue;
    yield lists;
    lists = { records: [], skipped: [] };
  }
  yield lists;
}

function toRecord(
  { id, line, target, json, text }: Row,
  index: number,
  idField: string,
): BulkRecord {
  const [recordId, value]: [string, unknown] = [JSON.parse(id), JSON.parse(json)];
  const ownFields = isObject(value) ? value : { [idField]: recordId };
  return new ChangedRecord(
    recordId,
    { line },
    index,
    { value, ownFields, target: target === '' ? undefined : new RecordTarget(target) },
    () => text,
  );
}
