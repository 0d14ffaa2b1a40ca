import { didYouMean } from '../kernel/nearest.ts';
import { BitSet } from './bit-set.ts';
import { type DraftRules, drafter, finisher, sendsText, UnchangedRecord } from './draft.ts';
import { type Identified, settleDuplicates } from './duplicates.ts';
import type { Finding } from './finding.ts';
import { isInShard, type Shard } from './id-hash.ts';
import { IdHashes } from './id-hashes.ts';
import { IdScan } from './id-scan.ts';
import type { Identity, RecordInput } from './input.ts';
import { problemsOf } from './problem.ts';
import type { BulkRecord } from './record.ts';
import { InputError, type Source, type SourceRecord } from './source/record.ts';

/** What records have to be, and which of them a job sends. */
export interface RecordRules extends DraftRules {
  /** Which of several records with one id is sent; `fail` takes them for a mistake. */
  readonly duplicates: 'fail' | 'first' | 'last';
  /** Records of other shards are checked, and are no part of the job. */
  readonly shard?: Shard;
}

/** An input after a whole look at it. It may be sent when there are no findings. */
export interface Survey {
  /** Records to send: without those of other shards and those left out. */
  readonly records: number;
  /** Records that were read, all told. */
  readonly read: number;
  /** Records of the job that are left out because of another one with the same id. */
  readonly leftOut: number;
  /** The first of them. */
  readonly findings: readonly Finding[];
  readonly findingCount: number;
  /** What to do about the reason why the input breaks off, where it does. */
  readonly hint: string | undefined;
  /** One for each field that the service does not know, and for each part of the input that is not read. */
  readonly warnings: readonly Finding[];
  /** The first valid record, for a look at what is going to be sent. */
  readonly first: BulkRecord | undefined;
  /** What a file of such records begins with: the header of a CSV file. */
  readonly preamble: string;
  /** Undefined where the input breaks off. */
  readonly identity: Identity | undefined;
  /** Whether the record at a position is left out because of another one. */
  isLeftOut(index: number): boolean;
  /** The id of a record that is sent as it stands, where it can be told without parsing the record. */
  idOf(record: SourceRecord, index: number): string | undefined;
}

/** Hears each valid record as it would be sent, before it is known which are left out for others with their id. */
export type HearRecord = (value: unknown) => void;

const MOST_FINDINGS = 100;
const MOST_WARNINGS = 100;

/**
 * The first reading of an input: every record is checked, and nothing of them is kept. What makes an input unreadable is
 * its last finding.
 */
export async function survey(
  input: RecordInput,
  rules: RecordRules,
  signal: AbortSignal,
  hear?: HearRecord,
): Promise<Survey> {
  const findings = findingsOf(input, rules, signal, hear);
  for (;;) {
    const { value, done } = await findings.next();
    if (done) return value;
  }
}

/** The first reading as all of its findings, a few at a time: in the order of the input, duplicates last. */
export async function* findingsOf(
  input: RecordInput,
  rules: RecordRules,
  signal: AbortSignal,
  hear?: HearRecord,
): AsyncGenerator<readonly Finding[], Survey> {
  const look = new Look(rules, hear);
  try {
    const source = await input.open((warning) => look.warn(warning));
    const check = look.checker(source);
    for await (const block of source.blocks) {
      signal.throwIfAborted();
      for (const record of block) check(record);
      yield* look.found();
    }
    look.preamble = source.preamble();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    look.breakOff(error);
    yield* look.found();
    return look;
  }
  look.identity = input.identity();
  await look.settleDuplicates(() => identified(input, rules));
  yield* look.found();
  return look;
}

/** The second reading: what is sent, in blocks, and what is left out as a duplicate. */
export async function* readChecked(
  input: RecordInput,
  rules: RecordRules,
  survey: Survey,
): AsyncGenerator<{ readonly records: readonly BulkRecord[]; readonly leftOut: readonly BulkRecord[] }> {
  for await (const block of finished(input, rules, survey)) {
    const own = rules.shard ? block.filter(({ id }) => rules.shard && isInShard(id, rules.shard)) : block;
    if (survey.leftOut === 0) yield { records: own, leftOut: [] };
    else {
      const [records, leftOut]: [BulkRecord[], BulkRecord[]] = [[], []];
      for (const record of own) (survey.isLeftOut(record.index) ? leftOut : records).push(record);
      yield { records, leftOut };
    }
  }
}

/** All records of an input that was found to be valid. */
async function* finished(
  input: RecordInput,
  rules: RecordRules,
  survey: Survey,
): AsyncGenerator<readonly BulkRecord[]> {
  const source = await input.open();
  const [draft, finish] = [drafter(source, rules), finisher(source, rules)];
  let next = 0;
  for await (const block of source.blocks) {
    const records: BulkRecord[] = [];
    for (const record of block) {
      const index = next++;
      const id = survey.idOf(record, index);
      records.push(
        id === undefined ? finish(record, draft(record, index), index) : new UnchangedRecord(id, index, record),
      );
    }
    yield records;
  }
}

/** The records that have an id, valid or not. */
async function* identified(input: RecordInput, rules: RecordRules): AsyncGenerator<readonly Identified[]> {
  const source = await input.open();
  const draft = drafter(source, rules);
  let next = 0;
  for await (const block of source.blocks) {
    const found: Identified[] = [];
    for (const record of block) {
      const index = next++;
      const { id } = draft(record, index);
      if (typeof id === 'string') found.push({ id, index, line: record.line, column: record.column });
    }
    yield found;
  }
}

class Look implements Survey {
  readonly #rules: RecordRules;
  readonly #hear: HearRecord | undefined;
  readonly #known: Set<string>;
  readonly #hashes = new IdHashes();
  readonly #leftOut = new BitSet();
  #scan: IdScan | undefined;
  #latest: Finding[] = [];
  records = 0;
  read = 0;
  readonly findings: Finding[] = [];
  findingCount = 0;
  hint: string | undefined;
  readonly warnings: Finding[] = [];
  first: BulkRecord | undefined;
  preamble = '';
  identity: Identity | undefined;

  constructor(rules: RecordRules, hear: HearRecord | undefined) {
    this.#rules = rules;
    this.#hear = hear;
    this.#known = new Set(rules.fields.known);
  }

  get leftOut(): number {
    return this.#leftOut.size;
  }

  isLeftOut(index: number): boolean {
    return this.#leftOut.has(index);
  }

  idOf(record: SourceRecord, index: number): string | undefined {
    return this.#scan?.find(record.text, index);
  }

  /** Checks the records of a source, one after another. */
  checker(source: Source): (record: SourceRecord) => void {
    const { fields, shard } = this.#rules;
    const [draft, finish] = [drafter(source, this.#rules), finisher(source, this.#rules)];
    if (sendsText(source, fields)) this.#scan = new IdScan(fields.id);
    return (record) => {
      const index = this.read++;
      const drafted = draft(record, index);
      const { value, own, id } = drafted;
      this.#scan?.learn(record.text, index, id);
      const problems = problemsOf(fields.schema, value);
      for (const problem of problems) this.#find({ line: record.line, column: record.column, ...problem });
      for (const field of Object.keys(own)) if (!this.#known.has(field)) this.#warnOf(field, record.line);
      if (typeof id !== 'string') return;
      this.#hashes.add(id);
      if (problems.length > 0 || (shard && !isInShard(id, shard))) return;
      this.records += 1;
      this.first ??= finish(record, drafted, index);
      this.#hear?.(fields.bareIds ? id : value);
    };
  }

  /** Says of two records with one id what becomes of them. */
  async settleDuplicates(read: () => AsyncIterable<readonly Identified[]>): Promise<void> {
    const { duplicates, fields, shard } = this.#rules;
    const clash = ({ id, line, column }: Identified, earlier: Identified) => {
      this.#find({ line, column, field: fields.id, message: `'${id}' stands on line ${earlier.line} already` });
    };
    async function* own() {
      for await (const block of read()) yield shard ? block.filter(({ id }) => isInShard(id, shard)) : block;
    }
    await settleDuplicates(own, this.#hashes.takeRepeated(), { duplicates, leftOut: this.#leftOut, clash });
    this.records -= this.#leftOut.size;
  }

  breakOff({ place, problem, hint }: InputError): void {
    const { line = null, column } = place;
    this.#find({ line, ...(column !== undefined && { column }), message: problem, isLast: true });
    this.hint = hint;
  }

  warn(warning: Finding): void {
    if (this.warnings.length < MOST_WARNINGS) this.warnings.push(warning);
  }

  /** What was found since this was asked for last. */
  *found(): Generator<readonly Finding[]> {
    const findings = this.#latest;
    this.#latest = [];
    if (findings.length > 0) yield findings;
  }

  #find(finding: Finding): void {
    this.findingCount += 1;
    if (this.findings.length < MOST_FINDINGS) this.findings.push(finding);
    this.#latest.push(finding);
  }

  /** Says of an unknown field once what becomes of it. */
  #warnOf(field: string, line: number): void {
    const { known, bareIds, id } = this.#rules.fields;
    const becomes = bareIds ? `is left out; of each record only '${id}' is sent` : 'is passed on as it is';
    const meant = bareIds ? '' : `; ${didYouMean(field, known)}`;
    if (this.warnings.length >= MOST_WARNINGS) return;
    this.#known.add(field);
    this.warn({ line, message: `unknown field '${field}' ${becomes}${meant}` });
  }
}
