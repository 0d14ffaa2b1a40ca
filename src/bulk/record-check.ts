import type * as z from 'zod';
import { didYouMean } from '../kernel/nearest.ts';
import { BitSet } from './bit-set.ts';
import type { BulkRecord } from './bulk-record.ts';
import type { Diagnostic, FileDiagnostic } from './diagnostic.ts';
import { type IdentifiedRecord, readIdentifiedRecords, resolveDuplicates } from './duplicates.ts';
import { isInShard, type Shard } from './id-hash.ts';
import { IdScanner } from './id-scanner.ts';
import type { FileFingerprint, InputFile } from './input-file.ts';
import type { RecordInput } from './record-input.ts';
import {
  canSendSourceText,
  createFinalizer,
  createPreparer,
  type PreparationRules,
  type PreparedRecord,
} from './record-preparation.ts';
import { findRecordProblems, type RecordProblem } from './record-problem.ts';
import { RepeatedIdDetector } from './repeated-ids.ts';
import { InputError, type Source, type SourceRecord } from './source/source.ts';

/** Rules for valid records, and for the records to send. */
export interface RecordRules extends PreparationRules {
  /** How to handle records with the same ID. `fail` reports them as problems. */
  readonly duplicates: 'fail' | 'first' | 'last';
  /** The shard to send. Records of other shards are only checked. */
  readonly shard?: Shard;
}

/** The result of checking an input. The input may be sent if `diagnosticCount` is 0. */
export interface RecordCheck {
  /** Number of records to send, without other shards and skipped duplicates. */
  readonly records: number;
  /** Number of records read. */
  readonly read: number;
  /** Number of skipped duplicates. */
  readonly leftOut: number;
  /** The first problems. */
  readonly diagnostics: readonly FileDiagnostic[];
  readonly diagnosticCount: number;
  /** How to fix the problems, if all of them are duplicates or target conflicts, or if a file cannot be read to its end. */
  readonly hint: string | undefined;
  /** Whether a file could not be read to its end. */
  readonly isIncomplete: boolean;
  /** One warning per unknown field, and per ignored part of a file. */
  readonly warnings: readonly FileDiagnostic[];
  /** The first valid record, for a preview. */
  readonly first: BulkRecord | undefined;
  /** The files of the input, in order. */
  readonly files: readonly CheckedFile[];
  /** Whether the record at an index is skipped as a duplicate. */
  isLeftOut(index: number): boolean;
}

/** A checked file of an input. */
export interface CheckedFile {
  /** Index of the file's first record in the whole input. */
  readonly first: number;
  /** Text that a file of such records starts with: the header of a CSV file. */
  readonly preamble: string;
  /** Undefined if the file could not be read to its end. */
  readonly identity: FileFingerprint | undefined;
  /** Finds the IDs of unchanged records without parsing them, where possible. */
  readonly scan: IdScanner | undefined;
}

/** Receives each valid record in the form to send, before duplicates are resolved. */
export type RecordListener = (value: unknown) => void;

const MAX_DIAGNOSTICS = 100;
const MAX_WARNINGS = 100;

/**
 * Reads an input for the first time and checks every record, without keeping any. A syntax error is the last diagnostic
 * of its file.
 */
export async function checkRecords(
  input: RecordInput,
  rules: RecordRules,
  signal: AbortSignal,
  onRecord?: RecordListener,
): Promise<RecordCheck> {
  const findings = streamDiagnostics(input, rules, signal, onRecord);
  for (;;) {
    const { value, done } = await findings.next();
    if (done) return value;
  }
}

/** Checks an input and yields its diagnostics as they are found, in the order of the input, with duplicates last. */
export async function* streamDiagnostics(
  input: RecordInput,
  rules: RecordRules,
  signal: AbortSignal,
  onRecord?: RecordListener,
): AsyncGenerator<readonly FileDiagnostic[], RecordCheck> {
  const checker = new RecordChecker(rules, onRecord);
  for (const file of input.files) yield* checkFile(file, checker, signal);
  if (!checker.isIncomplete && checker.read > 0) input.requireMappedFields();
  if (!checker.isIncomplete) await checker.resolveDuplicates(() => readIdentifiedRecords(input, rules));
  yield* checker.takeDiagnostics();
  return checker;
}

async function* checkFile(
  file: InputFile,
  checker: RecordChecker,
  signal: AbortSignal,
): AsyncGenerator<readonly FileDiagnostic[], void> {
  const begun = checker.startFile(file.name);
  try {
    const source = await file.open((warning) => checker.warn(warning));
    const check = checker.createFileChecker(source, begun);
    for await (const records of source.recordChunks) {
      signal.throwIfAborted();
      for (const record of records) check(record);
      yield* checker.takeDiagnostics();
    }
    begun.preamble = source.preamble();
    begun.identity = file.fingerprint();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    checker.addReadError(error);
    yield* checker.takeDiagnostics();
  }
}

/** A file that is being checked. */
class FileCheck implements CheckedFile {
  readonly first: number;
  preamble = '';
  identity: FileFingerprint | undefined;
  scan: IdScanner | undefined;

  constructor(first: number) {
    this.first = first;
  }
}

const DUPLICATES_HINT = 'keep one record per ID, or add --duplicates first or --duplicates last';

const TARGET_HINT =
  'a job sends to one target: move the other records to a separate file, or drop the field, for example with --map organizationId=';

/** Lists the problems of a record. A field that could not be converted keeps its conversion problem only. */
function allProblems({ value, problems }: PreparedRecord, schema: z.ZodType): readonly RecordProblem[] {
  const refused = findRecordProblems(schema, value);
  if (problems.length === 0 || refused.length === 0) return problems.length === 0 ? refused : problems;
  const named = new Set(problems.map(({ field }) => field));
  return [...problems, ...refused.filter(({ field }) => !named.has(field?.split('.', 1).join()))];
}

class RecordChecker implements RecordCheck {
  readonly #rules: RecordRules;
  readonly #onRecord: RecordListener | undefined;
  readonly #knownFields: Set<string>;
  readonly #hashes = new RepeatedIdDetector();
  readonly #leftOut = new BitSet();
  /** The current file's name in messages. */
  #file = '';
  #unreported: FileDiagnostic[] = [];
  records = 0;
  read = 0;
  readonly diagnostics: FileDiagnostic[] = [];
  diagnosticCount = 0;
  #duplicateCount = 0;
  /** Number of problems about a different target. */
  #targetConflicts = 0;
  /** Hint for the first file that could not be read to its end. */
  #fileHint: string | undefined;
  readonly warnings: FileDiagnostic[] = [];
  first: BulkRecord | undefined;
  readonly files: FileCheck[] = [];
  isIncomplete = false;

  constructor(rules: RecordRules, onRecord: RecordListener | undefined) {
    this.#rules = rules;
    this.#onRecord = onRecord;
    this.#knownFields = new Set(rules.fields.knownFields);
  }

  get leftOut(): number {
    return this.#leftOut.size;
  }

  isLeftOut(index: number): boolean {
    return this.#leftOut.has(index);
  }

  /** Starts the next file. */
  startFile(name: string): FileCheck {
    const file = new FileCheck(this.read);
    this.files.push(file);
    this.#file = name;
    return file;
  }

  /** Creates a function that checks the records of a file in order. */
  createFileChecker(source: Source, file: FileCheck): (record: SourceRecord) => void {
    const { fields, shard } = this.#rules;
    const { first } = file;
    const [prepare, finalize] = [createPreparer(source, this.#rules), createFinalizer(source, this.#rules)];
    const scan = canSendSourceText(source, fields) ? new IdScanner(fields.id) : undefined;
    file.scan = scan;
    return (record) => {
      const index = this.read++;
      const prepared = prepare(record, index);
      const { value, ownFields, id, isChanged, targetConflicts } = prepared;
      scan?.verify(record.text, index - first, isChanged ? undefined : id);
      const problems = allProblems(prepared, fields.schema);
      this.#targetConflicts += targetConflicts;
      for (const problem of problems) this.#addToFile({ line: record.line, column: record.column, ...problem });
      for (const field of Object.keys(ownFields))
        if (!this.#knownFields.has(field)) this.#warnAboutField(field, record.line);
      if (typeof id !== 'string') return;
      this.#hashes.add(id);
      if (problems.length > 0 || (shard && !isInShard(id, shard))) return;
      this.records += 1;
      this.first ??= finalize(record, prepared, index);
      this.#onRecord?.(fields.bareIds ? id : value);
    };
  }

  /** Reports or skips records with the same ID. */
  async resolveDuplicates(read: () => AsyncIterable<readonly IdentifiedRecord[]>): Promise<void> {
    const { duplicates, fields, shard } = this.#rules;
    const reportDuplicate = ({ id, file, line, column }: IdentifiedRecord, earlier: IdentifiedRecord) => {
      const position = earlier.file === file ? `line ${earlier.line}` : `line ${earlier.line} of ${earlier.file}`;
      this.#duplicateCount += 1;
      this.#add({ file, line, column, field: fields.id, message: `'${id}' is already on ${position}` });
    };
    async function* inShard() {
      for await (const records of read()) yield shard ? records.filter(({ id }) => isInShard(id, shard)) : records;
    }
    await resolveDuplicates(inShard, this.#hashes.takeRepeated(), {
      duplicates,
      leftOut: this.#leftOut,
      reportDuplicate,
    });
    this.records -= this.#leftOut.size;
  }

  get hint(): string | undefined {
    if (this.#duplicateCount > 0 && this.#duplicateCount === this.diagnosticCount) return DUPLICATES_HINT;
    return this.#targetConflicts > 0 && this.#targetConflicts === this.diagnosticCount ? TARGET_HINT : this.#fileHint;
  }

  addReadError({ position, problem, hint }: InputError): void {
    const { line = null, column } = position;
    this.#addToFile({ line, ...(column !== undefined && { column }), message: problem, isLast: true });
    this.isIncomplete = true;
    this.#fileHint ??= hint;
  }

  warn(warning: Diagnostic): void {
    if (this.warnings.length < MAX_WARNINGS) this.warnings.push({ file: this.#file, ...warning });
  }

  /** Yields the diagnostics since the last call. */
  *takeDiagnostics(): Generator<readonly FileDiagnostic[]> {
    const findings = this.#unreported;
    this.#unreported = [];
    if (findings.length > 0) yield findings;
  }

  #addToFile(remark: Diagnostic): void {
    this.#add({ file: this.#file, ...remark });
  }

  #add(finding: FileDiagnostic): void {
    this.diagnosticCount += 1;
    if (this.diagnostics.length < MAX_DIAGNOSTICS) this.diagnostics.push(finding);
    this.#unreported.push(finding);
  }

  /** Warns once per unknown field. */
  #warnAboutField(field: string, line: number): void {
    const { knownFields, bareIds, id } = this.#rules.fields;
    const effect = bareIds ? `is dropped; only '${id}' of each record is sent` : 'is sent unchanged';
    const suggestion = bareIds ? '' : `; ${didYouMean(field, knownFields)}`;
    if (this.warnings.length >= MAX_WARNINGS) return;
    this.#knownFields.add(field);
    this.warn({ line, message: `unknown field '${field}' ${effect}${suggestion}` });
  }
}
