import type * as z from 'zod/mini';
import type { InputNaming } from '../catalog/flags.ts';
import { findIntendedField } from '../catalog/intended-field.ts';
import {
  describeSelectingField,
  describeSelection,
  isAccessRole,
  type SelectingField,
} from '../catalog/selecting-fields.ts';
import type { Fields } from '../kernel/json.ts';
import { formatNounCount, groupDigits, pluralize } from '../kernel/plural.ts';
import { quoteForShell } from '../kernel/quote-for-shell.ts';
import { AccessLimits } from './access-limits.ts';
import type { BulkRecord } from './batches.ts';
import { BitSet } from './bit-set.ts';
import type { Diagnostic, FileDiagnostic } from './diagnostic.ts';
import { type IdentifiedRecord, idWithinTarget, resolveDuplicates } from './duplicates.ts';
import { FindingCollector } from './finding-collector.ts';
import { isInShard, type Shard } from './id-hash.ts';
import { IdScanner } from './id-scanner.ts';
import type { FileFingerprint } from './input-bytes.ts';
import { SharedLines } from './record-position.ts';
import {
  canSendSourceText,
  createFinalizer,
  createPreparer,
  type PreparationRules,
  type PreparedRecord,
} from './record-preparation.ts';
import { findRecordProblems, type RecordProblem } from './record-problem.ts';
import type { RecordTarget } from './record-targets.ts';
import { RecordTree } from './record-tree.ts';
import { RepeatedIdDetector } from './repeated-ids.ts';
import { listColumns, namesInRows } from './source/column-guesses.ts';
import { suggestMerge } from './source/json-layout.ts';
import { findRenamedField } from './source/renamed-field.ts';
import { SharedFieldError } from './source/shared-fields.ts';
import { InputError, type RecordChunk, type Source, type SourceRecord } from './source/source.ts';
import { type TextEncoding, UTF_8 } from './source/text-encoding.ts';
import { isIdField, type SuspiciousValue, SuspiciousValues } from './suspicious-values.ts';
import { type TargetProblem, TargetProblems } from './target-problems.ts';
import { describeUnknownField, formatSelectingHint } from './unknown-fields.ts';

export interface RecordRules extends PreparationRules {
  readonly duplicates: 'fail' | 'first' | 'last';
  /** The shard to send. Records of other shards are only checked. */
  readonly shard?: Shard;
  /**
   * Whether to warn about valid but suspicious values (default: no). In an `update`, an empty cell
   * leaves a field unchanged.
   */
  readonly valueWarnings?: 'add' | 'update';
  /** Whether to count the suspicious values of a file in one warning instead of listing them. */
  readonly countsValueWarnings?: true;
  /** Whether a suspicious ID is a warning instead of a problem. */
  readonly allowsSuspicious?: boolean;
  /** The columns or fields that the user renamed, with their new names. Those are sent as they are. */
  readonly map?: readonly (readonly [column: string, field: string])[];
  /** How hints name fields: by flags (default), or by the fields of a tool's input. */
  readonly naming?: InputNaming;
}

export type RecordCheck = Readonly<Pick<RecordChecker, CheckResult>>;

type CheckResult =
  | ('records' | 'read' | 'skipped' | 'isSkipped' | 'omittedFields' | 'first' | 'files' | 'tree')
  | ('diagnostics' | 'diagnosticCount' | 'hint' | 'isIncomplete' | 'warnings' | 'warningCount');

interface FileCheck {
  readonly first: number;
  /** Text at the start of a file of such records: the header of a CSV file. */
  preamble: string;
  encoding: TextEncoding;
  /** Undefined if the file could not be read to its end. */
  identity: FileFingerprint | undefined;
  /** Finds the IDs of unchanged records without parsing them, where possible. */
  scan: IdScanner | undefined;
}

/** Receives each valid record in the form to send, before duplicates are resolved. */
export type RecordListener = (
  value: unknown,
  target: RecordTarget | undefined,
  record: BulkRecord,
) => void;
/**
 * Number of unreadable records at the start of a file after which svc stops reading it: the file
 * probably has another format.
 */
const MAX_UNREADABLE_AT_START = 10;
const DUPLICATES_HINT = 'keep one record per ID, or add --duplicates first or --duplicates last';

const SUSPICIOUS_HINT = 'fix the IDs; if they are right, add --allow-suspicious';
export const SUSPICIOUS_ID_HINT = 'fix the ID; if it is right, add --allow-suspicious';

const TARGET_HINT =
  'to send records to several targets, omit the flag; to ignore the field, drop it, for example with --map organizationId=';

/** A field that may mean the access role. Its values decide. */
interface RoleField {
  readonly field: SelectingField;
  readonly place: FileDiagnostic;
  hasRole: boolean;
}

/**
 * Lists the problems of a record. For a field that could not be converted, lists only that problem.
 */
function allProblems(
  { value, problems }: PreparedRecord,
  schema: z.ZodMiniType,
): readonly RecordProblem[] {
  const schemaProblems = findRecordProblems(schema, value);
  if (problems.length === 0 || schemaProblems.length === 0)
    return problems.length === 0 ? schemaProblems : problems;
  const convertedFields = new Set(problems.map(({ field }) => field));
  return [
    ...problems,
    ...schemaProblems.filter(({ field }) => !convertedFields.has(field?.split('.', 1).join())),
  ];
}

export class RecordChecker extends FindingCollector {
  readonly #rules: RecordRules;
  readonly #onRecord: RecordListener | undefined;
  readonly #knownFields: Set<string>;
  readonly #hashes = new RepeatedIdDetector();
  readonly #skipped = new BitSet();
  readonly #suspicious: SuspiciousValues | undefined;
  readonly #targetProblems = new TargetProblems();
  readonly #roles: RoleField[] = [];
  readonly #limits: AccessLimits | undefined;
  readonly #selecting: SelectingField[] = [];
  /** Whether the last file has columns. */
  #isTable = false;
  /** Places of the first suspicious values of each kind, if they are only counted. */
  #suspiciousPlaces: Pick<FileDiagnostic, 'line' | 'cell'>[] = [];
  #lastTarget: string | undefined;
  /** Fields of listed records that are not sent. */
  readonly omittedFields = new Set<string>();
  /** Number of records to send, without other shards and skipped duplicates. */
  records = 0;
  read = 0;
  first: BulkRecord | undefined;
  readonly files: FileCheck[] = [];
  /** The parents of the records, if records can contain others. */
  readonly tree: RecordTree | undefined;

  constructor(rules: RecordRules, onRecord: RecordListener | undefined) {
    super();
    this.#rules = rules;
    this.#onRecord = onRecord;
    const { knownFields, targetFields, id } = rules.fields;
    const names = [...knownFields, ...targetFields.map(({ name }) => name)];
    const idFields = [id, ...names.filter(isIdField)];
    this.#knownFields = new Set([...knownFields, ...(rules.map ?? []).map(([, field]) => field)]);
    this.#limits = rules.valueWarnings === 'add' ? new AccessLimits(rules.fields) : undefined;
    this.tree = rules.fields.parent === undefined ? undefined : new RecordTree();
    this.#suspicious = rules.valueWarnings ? new SuspiciousValues(idFields) : undefined;
  }

  override get hint(): string | undefined {
    const hint = super.hint;
    return hint === SUSPICIOUS_HINT && this.diagnosticCount === 1 ? SUSPICIOUS_ID_HINT : hint;
  }

  get skipped(): number {
    return this.#skipped.size;
  }

  isSkipped(index: number): boolean {
    return this.#skipped.has(index);
  }

  startFile(name: string): FileCheck {
    const file: FileCheck = {
      first: this.read,
      preamble: '',
      encoding: UTF_8,
      identity: undefined,
      scan: undefined,
    };
    this.files.push(file);
    this.enterFile(name);
    return file;
  }

  endFile(error?: InputError): void {
    this.leaveFile(error);
    this.#warnAboutLostTarget();
    const summary = this.#suspicious?.takeSummary(this.#isTable) ?? [];
    const problems = summary.filter((each) => this.#isProblem(each));
    const unlisted = summary.filter((each) => !this.#isProblem(each));
    for (const { field = '', message, line, count, isAlwaysWrong } of problems)
      this.addToFile({ line, field, message }, isAlwaysWrong ? undefined : SUSPICIOUS_HINT, count);
    if (!this.#rules.countsValueWarnings)
      for (const { field = '', message, line, count } of unlisted)
        this.addWarning({ line, field, message }, count);
    else if (this.#suspiciousPlaces.length > 0 || unlisted.length > 0) {
      const count = unlisted.reduce((sum, each) => sum + each.count, this.#suspiciousPlaces.length);
      this.addWarning({ line: null, message: describeCount(count, this.#suspiciousPlaces) });
      this.#suspiciousPlaces = [];
    }
  }

  #warnAboutLostTarget(): void {
    const { fields, targets } = this.#rules;
    const { lost, id = '' } = fields.listed ?? {};
    if (!lost || !targets || this.omittedFields.size === 0 || this.omittedFields.has(id)) return;
    const isNamed = targets.all.some(({ data }) => data[lost.field] !== undefined);
    if (!isNamed && !targets.given.includes(lost.field))
      this.addWarning({ line: null, message: lost.warning });
  }

  #isProblem({ isId, isAlwaysWrong }: SuspiciousValue): boolean {
    return isAlwaysWrong || (isId && this.#rules.allowsSuspicious !== true);
  }

  /**
   * Checks the fields beside the list of records.
   * @throws InputError if a target differs from the given one
   */
  checkBesideFields({ beside, name: file }: Pick<Source, 'beside' | 'name'>): void {
    const { targets, fields } = this.#rules;
    const known = Object.keys(fields.input.shape).filter((name) => name !== fields.field);
    for (const { name, value, line, column } of beside) {
      const report = (problem: string, hint: string) =>
        this.addError(new InputError(file, { line, column }, problem, hint));
      if (fields.targetFields.some((target) => target.name === name)) {
        const [conflict] = targets?.findConflicts({ [name]: value }) ?? [];
        if (conflict)
          throw new InputError(file, { line, column }, `${name}: ${conflict.message}`, TARGET_HINT);
        if (typeof value !== 'string') report(`${name}: must be text`, 'put the ID in quotes');
        continue;
      }
      const selecting = describeSelectingField(name, value, fields);
      const intended = findIntendedField(name, known) ?? selecting?.means;
      const dropHint = `to ignore the field, drop it with --map ${quoteForShell(`${name}=`)}`;
      if (intended === name)
        report(
          `'${name}' is not read beside '${fields.listName}'`,
          `use a flag instead; ${dropHint}`,
        );
      else if (intended !== undefined)
        report(
          `unknown field '${name}' beside '${fields.listName}'`,
          `did you mean '${intended}'? ${dropHint}`,
        );
      else
        this.warn({
          line,
          message: `'${name}' is ignored; only the records beside it are read`,
        });
    }
  }

  /** Call at the end of a file. */
  warnAboutFile({ emptyRows, warnings }: Pick<Source, 'emptyRows' | 'warnings'>): void {
    for (const warning of warnings?.() ?? []) this.warn(warning);
    const { firstLine, count } = emptyRows?.() ?? { firstLine: 0, count: 0 };
    if (count === 0) return;
    const [rows, are] = count === 1 ? ['row', 'is'] : ['rows', 'are'];
    this.warn({
      line: firstLine,
      message: `${groupDigits(count)} ${rows} without values ${are} skipped`,
    });
  }

  createFileChecker(source: Source, file: FileCheck): (records: RecordChunk) => void {
    const { valueWarnings } = this.#rules;
    this.locateCells(source.cellOf);
    this.#isTable = source.columns !== undefined;
    this.#suspicious?.startFile(() => ({
      required: valueWarnings === 'add' ? (source.columns?.() ?? []) : [],
      headingOf: (field) => source.heading?.(field),
      fieldNames: namesInRows(source.columns?.() ?? [], this.#rules.fields),
    }));
    const lines = new SharedLines();
    const check = this.#createRecordChecker(source, file, lines);
    let readable = 0;
    return (records) => {
      lines.startChunk(records);
      // An indexed loop is faster than an iterator of entries.
      for (let at = 0; at < records.length; at += 1) {
        const index = this.read++;
        try {
          check(records[at] as SourceRecord, index, at);
          readable += 1;
        } catch (error) {
          if (!(error instanceof InputError)) throw error;
          if (error instanceof SharedFieldError) {
            const { expected: id, ...conflict } = error.conflict;
            const { column } = error.position;
            const exact = column === undefined ? {} : { column, isExact: true as const };
            const position = { ...lines.positionAt(at), ...exact };
            this.#addTargetProblem({ ...conflict, contradicts: { id } }, position);
            readable += 1;
            continue;
          }
          if (readable === 0 && index - file.first + 1 === MAX_UNREADABLE_AT_START)
            throw error.with({
              problem: `${error.problem}; reading stopped because none of the first records can be read`,
            });
          this.addError(error, lines.positionAt(at).record);
        }
      }
    };
  }

  /**
   * Creates the check of a record, given its index in input and chunk.
   * @throws InputError if it is unreadable
   */
  #createRecordChecker(source: Source, file: FileCheck, lines: SharedLines) {
    const { fields, shard } = this.#rules;
    const { first } = file;
    const prepare = createPreparer(source, this.#rules, this.omittedFields);
    const finalize = createFinalizer(source, this.#rules);
    const scan = canSendSourceText(source, fields) ? new IdScanner(fields.id) : undefined;
    file.scan = scan;
    const suspicious = this.#suspicious;
    return (record: SourceRecord, index: number, at: number): void => {
      const prepared = prepare(record, index);
      const { value, ownFields, id, isChanged, target, conflicts } = prepared;
      scan?.verify(record.text, index - first, isChanged ? undefined : id);
      const problems = allProblems(prepared, fields.schema);
      if (problems.length > 0) {
        this.#addProblems(problems, prepared, lines.positionAt(at));
        if (this.records === 0 && !source.columns) this.#suggestIdField(ownFields, source);
      }
      for (const conflict of conflicts)
        this.#addTargetProblem({ ...conflict, contradicts: 'command' }, lines.positionAt(at));
      const found = suspicious?.inspect(ownFields, record.isPlain === true);
      if (suspicious?.hasNewFields !== false)
        for (const field in ownFields)
          if (!this.#knownFields.has(field))
            this.#reportUnknownField(field, ownFields[field], record.line, source);
      this.#limits?.count(prepared, () => this.locate({ line: record.line, message: '' }));
      for (const role of this.#roles) role.hasRole ||= isAccessRole(ownFields[role.field.name]);
      if (found) {
        if (found.length > 0) this.#reportValues(found, lines.positionAt(at));
        if (target && target.key !== this.#lastTarget)
          this.#inspectTarget(target, lines.positionAt(at));
      }
      if (typeof id !== 'string') return;
      this.#hashes.add(idWithinTarget(id, target));
      this.tree?.add(id, ownFields[fields.parent ?? ''], (each) => idWithinTarget(each, target));
      if (problems.length > 0 || conflicts.length > 0) return;
      if (shard && !isInShard(id, shard)) return;
      this.records += 1;
      this.idHint = undefined;
      if (target) this.#rules.targets?.count(target);
      if (this.first && !this.#onRecord) return;
      const final = finalize(record, prepared, index);
      this.first ??= final;
      this.#onRecord?.(fields.bareIds ? id : value, target, final);
    };
  }

  async resolveDuplicates(read: () => AsyncIterable<readonly IdentifiedRecord[]>): Promise<void> {
    const { duplicates, fields, shard } = this.#rules;
    const reportDuplicate = (
      { id, index: _, key: __, ...place }: IdentifiedRecord,
      earlier: IdentifiedRecord,
    ) => {
      const position = this.cellOf(earlier, fields.id) ?? describePosition(earlier, place.file);
      const message = `'${id}' is already ${position}`;
      this.add({ ...place, field: fields.id, message }, DUPLICATES_HINT);
    };
    async function* inShard() {
      for await (const records of read())
        yield shard ? records.filter(({ id }) => isInShard(id, shard)) : records;
    }
    const resolution = { duplicates, skipped: this.#skipped, reportDuplicate };
    await resolveDuplicates(inShard, this.#hashes.takeRepeated(), resolution);
    this.records -= this.#skipped.size;
  }

  /** Reports records that contain themselves. Call after all records were read. */
  async reportCycles(read: () => AsyncIterable<readonly IdentifiedRecord[]>): Promise<void> {
    const cycles = this.tree?.findCycles() ?? [];
    if (cycles.length === 0) return;
    const { noun, parent: field = '' } = this.#rules.fields;
    const ids = new Map<string, string>();
    const places = new Map<string, IdentifiedRecord>();
    const members = new Set(cycles.flat());
    for await (const records of read())
      for (const record of records)
        if (members.has(record.key)) {
          ids.set(record.key, record.id);
          if (!places.has(record.key)) places.set(record.key, record);
        }
    for (const cycle of cycles) {
      const path = [...cycle, cycle[0] ?? ''].map((key) => ids.get(key) ?? key);
      const [first] = cycle
        .flatMap((key) => places.get(key) ?? [])
        .toSorted((a, b) => a.index - b.index);
      if (!first) continue;
      const { id: _, index: __, key: ___, ...place } = first;
      const more = path.length > MAX_CYCLE ? ' in …' : '';
      const message = `the ${pluralize(noun)} contain themselves: ${path.slice(0, MAX_CYCLE).join(' in ')}${more}`;
      this.add({ ...place, field, message }, `each ${noun} must be below the top level`);
    }
  }

  #addProblems(
    problems: readonly RecordProblem[],
    { ownFields, target }: PreparedRecord,
    position: Omit<Diagnostic, 'message'>,
  ): void {
    const { fields, targets } = this.#rules;
    const selecting = [...(targets?.fields ?? []), 'accessRole'];
    for (const problem of problems) {
      const { field, message } = problem;
      if (field === undefined || !selecting.includes(field))
        this.addToFile({ ...position, ...problem });
      else {
        const value = target?.data[field] ?? ownFields[field];
        this.#addTargetProblem({ field, value, message }, position);
      }
    }
    if (Object.hasOwn(ownFields, fields.id)) return;
    const names = Object.keys(ownFields).filter((name) => typeof ownFields[name] !== 'object');
    const renamed = findRenamedField(fields.id, names, fields.knownFields);
    if (renamed !== undefined) this.recordRenamedField(renamed, fields.id);
  }

  /** Sets the hint for records of which none has the ID. */
  #suggestIdField(ownFields: Fields, { name, format }: Source): void {
    const { id, generatesIds, listName } = this.#rules.fields;
    const names = Object.keys(ownFields);
    if (generatesIds || names.length === 0 || names.includes(id)) return;
    const isJson = format === 'json' || format === 'ndjson';
    this.idHint ??= isJson ? suggestMerge(ownFields, { name, listName, id }) : undefined;
    this.idHint ??= `name the field of the ID: --map '<field>=${id}'; the fields are: ${listColumns(names)}`;
  }

  #addTargetProblem(problem: TargetProblem, position: Omit<Diagnostic, 'message'>): void {
    this.#targetProblems.add(problem, this.locate({ ...position, message: '' }));
  }

  #reportUnknownField(name: string, value: unknown, line: number, { columns }: Source): void {
    const { fields } = this.#rules;
    const field = describeSelectingField(name, value, fields);
    if (field) {
      const message = describeSelection(field);
      const place = this.locate({ line, message });
      this.#knownFields.add(name);
      if (field.means === 'accessRole') this.#roles.push({ field, place, hasRole: false });
      else this.#addSelecting(field, place);
      return;
    }
    const { names, message } = describeUnknownField(name, columns?.() ?? [], fields);
    if (!this.warn({ line, message })) return;
    for (const each of names) this.#knownFields.add(each);
  }

  #addSelecting(field: SelectingField, place: FileDiagnostic): void {
    const { targets, naming = 'flags' } = this.#rules;
    this.#selecting.push(field);
    this.add(place);
    this.fieldHint = formatSelectingHint(this.#selecting, targets?.given ?? [], naming);
  }

  /** Call after the last file: reports what only all records together show. */
  endInput(): void {
    for (const { field, place, hasRole } of this.#roles) {
      if (hasRole) this.#addSelecting(field, place);
      else
        this.warnFirst({
          ...place,
          message: `the field '${field.name}' is sent unchanged, and not as '${field.means}': none of its values is an access role`,
        });
    }
    for (const warning of this.#limits?.describe() ?? []) this.warnFirst(warning);
    const { map = [], naming = 'flags' } = this.#rules;
    const columnOf = (field: string) => map.find(([, name]) => name === field)?.[0] ?? field;
    const input = { records: this.read, isTable: this.#isTable, columnOf, naming };
    for (const { finding, hint } of this.#targetProblems.describe(input)) this.add(finding, hint);
  }

  /** Inspects the target of a record. Consecutive records often have the same one. */
  #inspectTarget(target: RecordTarget, position: Omit<Diagnostic, 'message'>): void {
    this.#lastTarget = target.key;
    const { targets } = this.#rules;
    if (!this.#suspicious || targets?.problemsOf(target).length !== 0 || targets.isUnclear(target))
      return;
    this.#reportValues(this.#suspicious.inspectTarget(target.data), position);
  }

  #reportValues(values: readonly SuspiciousValue[], position: Omit<Diagnostic, 'message'>): void {
    const { countsValueWarnings } = this.#rules;
    for (const value of values) {
      const { field = '', message, isAlwaysWrong } = value;
      const finding = { ...position, field, message };
      if (this.#isProblem(value))
        this.addToFile(finding, isAlwaysWrong ? undefined : SUSPICIOUS_HINT);
      else if (countsValueWarnings) this.#suspiciousPlaces.push(this.locate(finding));
      else this.addWarning(finding);
    }
  }
}

const MAX_CYCLE = 10;
const MAX_PLACES = 3;

/** Describes values that are only counted: `6 suspicious values (lines 7, 19, …); …`. */
function describeCount(
  count: number,
  places: readonly Pick<FileDiagnostic, 'line' | 'cell'>[],
): string {
  const distinct = [...new Set(places.map(({ line, cell }) => cell ?? String(line)))];
  const values = formatNounCount(count, 'suspicious value');
  if (distinct.length === 0) return `${values}; to list them, add --dry-run`;
  const shown = distinct.slice(0, MAX_PLACES).join(', ');
  const more = distinct.length > MAX_PLACES ? ', …' : '';
  const noun = places[0]?.cell === undefined ? 'line' : 'cell';
  const list = `${distinct.length === 1 ? noun : `${noun}s`} ${shown}${more}`;
  return `${values} (${list}); to list them, add --dry-run`;
}

function describePosition({ file, line, record }: IdentifiedRecord, from: string): string {
  const place = record === undefined ? `on line ${line}` : `in record ${record}`;
  return file === from ? place : `${place} of ${file}`;
}
