import { rm } from 'node:fs/promises';
import { createPrivateFile, localFileError } from '../kernel/files.ts';
import { isObject } from '../kernel/is-object.ts';
import { withoutExperimentalWarning } from '../kernel/process.ts';
import type { BulkRecord } from './bulk-record.ts';
import { type CheckedLists, readCheckedRecords } from './checked-records.ts';
import { IN_MEMORY } from './journal/database.ts';
import type { RecordCheck, RecordRules } from './record-checker.ts';
import type { RecordInput } from './record-input.ts';
import { lineOfFile } from './record-position.ts';
import { RecordTarget } from './record-targets.ts';

interface Row {
  readonly position: number;
  readonly target: string;
  readonly line: number | null;
  readonly skipped: number;
  readonly id: string;
  readonly json: string;
  readonly text: string;
}

const COLUMNS = 'target text, at integer, line integer, skipped integer, id text, json text, text text';
const PAGE_SIZE = 1_000;

/** The records of an input, ordered by target and then as in the input. */
export interface GroupedRecords {
  read(): AsyncGenerator<CheckedLists>;
  close(): void;
}

/**
 * Copies the records of an input to disk, grouped by target, if the input mixes targets. The order depends only on the input,
 * so that a resumed job numbers its records like the first run. The file is deleted while it is open, where possible.
 * @param path a private file, which is replaced
 * @throws SvcError `local` if the file cannot be written
 */
export async function groupIfMixed(
  input: RecordInput,
  rules: RecordRules,
  check: RecordCheck,
  signal: AbortSignal,
  path = IN_MEMORY,
): Promise<GroupedRecords | undefined> {
  const { targets, fields } = rules;
  if (!targets?.areMixed) return undefined;
  const hasFiles = check.files.length > 1;
  const fileOf = (index: number) => check.files.findLastIndex(({ first }) => first <= index);
  const lineOf = ({ index, line }: BulkRecord) => (hasFiles ? lineOfFile(fileOf(index), line ?? 0) : line);
  const isFile = path !== IN_MEMORY;
  const remove = () => (isFile ? rm(path, { force: true }) : undefined);
  await remove();
  if (isFile) await createPrivateFile(path);
  const { DatabaseSync } = await withoutExperimentalWarning('SQLite', () => import('node:sqlite'));
  const database = new DatabaseSync(path);
  try {
    database.exec(`pragma journal_mode = off; pragma synchronous = off; create table input (${COLUMNS}); begin`);
    const insert = database.prepare('insert into input values (?, ?, ?, ?, ?, ?, ?)');
    const add = (record: BulkRecord, skipped: number) =>
      insert.run(
        record.target?.key ?? '',
        record.index,
        lineOf(record),
        skipped,
        JSON.stringify(record.id),
        record.json,
        record.text,
      );
    for await (const { records, skipped } of readCheckedRecords(input, rules, check)) {
      signal.throwIfAborted();
      for (const record of records) add(record, 0);
      for (const record of skipped) add(record, 1);
    }
    database.exec(`create table grouped (${COLUMNS}); insert into grouped select * from input order by target, at`);
    database.exec('commit; drop table input');
    await remove()?.catch(() => undefined);
  } catch (error) {
    database.close();
    await remove();
    throw error instanceof Error && 'errcode' in error ? localFileError('write', path, error) : error;
  }
  const page = database.prepare('select rowid as position, * from grouped where rowid > ? order by rowid limit ?');
  const toRecord = (row: Row) => new GroupedRecord(row, fields.id);
  return {
    async *read() {
      for (let last = 0; ; ) {
        const rows = page.all(last, PAGE_SIZE) as unknown as readonly Row[];
        if (rows.length === 0) return;
        last = rows.at(-1)?.position ?? last;
        const { kept = [], skipped = [] } = Object.groupBy(rows, (row) => (row.skipped ? 'skipped' : 'kept'));
        yield { records: kept.map(toRecord), skipped: skipped.map(toRecord) };
      }
    },
    close: () => database.close(),
  };
}

class GroupedRecord implements BulkRecord {
  readonly #row: Row;
  readonly #id: string;
  readonly #idField: string;
  readonly target: RecordTarget;

  constructor(row: Row, idField: string) {
    this.#row = row;
    // SQLite stores UTF-8, which cannot represent lone surrogates.
    this.#id = JSON.parse(row.id);
    this.#idField = idField;
    this.target = new RecordTarget(row.target);
  }

  get id(): string {
    return this.#id;
  }

  get index(): number {
    return this.#row.position - 1;
  }

  get line(): number | null {
    return this.#row.line;
  }

  get value(): unknown {
    return JSON.parse(this.#row.json);
  }

  get text(): string {
    return this.#row.text;
  }

  get json(): string {
    return this.#row.json;
  }

  get jsonLine(): string {
    const { value } = this;
    return JSON.stringify({ ...this.target.data, ...(isObject(value) ? value : { [this.#idField]: this.id }) });
  }
}
