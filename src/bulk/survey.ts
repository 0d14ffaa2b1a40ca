import type * as z from 'zod';
import { didYouMean } from '../kernel/nearest.ts';
import { BitSet } from './bit-set.ts';
import { type Draft, type DraftRules, drafter, finisher, sendsText } from './draft.ts';
import { type Identified, identified, settleDuplicates } from './duplicates.ts';
import type { Finding, Remark } from './finding.ts';
import { isInShard, type Shard } from './id-hash.ts';
import { IdHashes } from './id-hashes.ts';
import { IdScan } from './id-scan.ts';
import type { RecordInput } from './input.ts';
import type { Identity, InputFile } from './input-file.ts';
import { type Problem, problemsOf } from './problem.ts';
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
  /** What to do where ids stand twice or records name several targets and nothing else is wrong, or about the reason why a file breaks off. */
  readonly hint: string | undefined;
  /** A file could not be read to its end. */
  readonly breaksOff: boolean;
  /** One for each field that the service does not know, and for each part of a file that is not read. */
  readonly warnings: readonly Finding[];
  /** The first valid record, for a look at what is going to be sent. */
  readonly first: BulkRecord | undefined;
  /** Those of the input, in its order. */
  readonly files: readonly SurveyedFile[];
  /** Whether the record at a position is left out because of another one. */
  isLeftOut(index: number): boolean;
}

/** A file of an input after a whole look at it. */
export interface SurveyedFile {
  /** The position of its first record among those of the input. */
  readonly first: number;
  /** What a file of such records begins with: the header of a CSV file. */
  readonly preamble: string;
  /** Undefined where the file breaks off. */
  readonly identity: Identity | undefined;
  /** Finds the ids of records that are sent as they stand, where they can be told without parsing the records. */
  readonly scan: IdScan | undefined;
}

/** Hears each valid record as it would be sent, before it is known which are left out for others with their id. */
export type HearRecord = (value: unknown) => void;

const MOST_FINDINGS = 100;
const MOST_WARNINGS = 100;

/**
 * The first reading of an input: every record is checked, and nothing of them is kept. What makes a file unreadable is
 * the last finding of it.
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
  for (const file of input.files) yield* readThrough(file, look, signal);
  if (!look.breaksOff && look.read > 0) input.checkMap();
  if (!look.breaksOff) await look.settleDuplicates(() => identified(input, rules));
  yield* look.found();
  return look;
}

async function* readThrough(
  file: InputFile,
  look: Look,
  signal: AbortSignal,
): AsyncGenerator<readonly Finding[], void> {
  const begun = look.begin(file.name);
  try {
    const source = await file.open((warning) => look.warn(warning));
    const check = look.checker(source, begun);
    for await (const block of source.blocks) {
      signal.throwIfAborted();
      for (const record of block) check(record);
      yield* look.found();
    }
    begun.preamble = source.preamble();
    begun.identity = file.identity();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    look.breakOff(error);
    yield* look.found();
  }
}

/** A file while it is looked at. */
class FileLook implements SurveyedFile {
  readonly first: number;
  preamble = '';
  identity: Identity | undefined;
  scan: IdScan | undefined;

  constructor(first: number) {
    this.first = first;
  }
}

const WHICH_COUNTS = 'leave one of each, or say which one counts: --duplicates first, or --duplicates last';

const ONE_TARGET =
  'a run sends to one target: put the other records into a file of their own, or leave the field out, as with --map organizationId=';

/** What is wrong with a draft. A field that could not be converted has its problem already. */
function allProblems({ value, problems }: Draft, schema: z.ZodType): readonly Problem[] {
  const refused = problemsOf(schema, value);
  if (problems.length === 0 || refused.length === 0) return problems.length === 0 ? refused : problems;
  const named = new Set(problems.map(({ field }) => field));
  return [...problems, ...refused.filter(({ field }) => !named.has(field?.split('.', 1).join()))];
}

class Look implements Survey {
  readonly #rules: RecordRules;
  readonly #hear: HearRecord | undefined;
  readonly #known: Set<string>;
  readonly #hashes = new IdHashes();
  readonly #leftOut = new BitSet();
  /** As messages call the file that is being read. */
  #file = '';
  #latest: Finding[] = [];
  records = 0;
  read = 0;
  readonly findings: Finding[] = [];
  findingCount = 0;
  #clashes = 0;
  /** Findings about records that name another target. */
  #astray = 0;
  /** What to do about the reason why a file breaks off. */
  #wayOut: string | undefined;
  readonly warnings: Finding[] = [];
  first: BulkRecord | undefined;
  readonly files: FileLook[] = [];
  breaksOff = false;

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

  /** Turns to the next file. */
  begin(name: string): FileLook {
    const file = new FileLook(this.read);
    this.files.push(file);
    this.#file = name;
    return file;
  }

  /** Checks the records of a file, one after another. */
  checker(source: Source, file: FileLook): (record: SourceRecord) => void {
    const { fields, shard } = this.#rules;
    const { first } = file;
    const [draft, finish] = [drafter(source, this.#rules), finisher(source, this.#rules)];
    const scan = sendsText(source, fields) ? new IdScan(fields.id) : undefined;
    file.scan = scan;
    return (record) => {
      const index = this.read++;
      const drafted = draft(record, index);
      const { value, own, id, isChanged, astray } = drafted;
      scan?.learn(record.text, index - first, isChanged ? undefined : id);
      const problems = allProblems(drafted, fields.schema);
      this.#astray += astray;
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
    const clash = ({ id, file, line, column }: Identified, earlier: Identified) => {
      const place = earlier.file === file ? `line ${earlier.line}` : `line ${earlier.line} of ${earlier.file}`;
      this.#clashes += 1;
      this.#add({ file, line, column, field: fields.id, message: `'${id}' stands on ${place} already` });
    };
    async function* own() {
      for await (const block of read()) yield shard ? block.filter(({ id }) => isInShard(id, shard)) : block;
    }
    await settleDuplicates(own, this.#hashes.takeRepeated(), { duplicates, leftOut: this.#leftOut, clash });
    this.records -= this.#leftOut.size;
  }

  get hint(): string | undefined {
    if (this.#clashes > 0 && this.#clashes === this.findingCount) return WHICH_COUNTS;
    return this.#astray > 0 && this.#astray === this.findingCount ? ONE_TARGET : this.#wayOut;
  }

  breakOff({ place, problem, hint }: InputError): void {
    const { line = null, column } = place;
    this.#find({ line, ...(column !== undefined && { column }), message: problem, isLast: true });
    this.breaksOff = true;
    this.#wayOut ??= hint;
  }

  warn(warning: Remark): void {
    if (this.warnings.length < MOST_WARNINGS) this.warnings.push({ file: this.#file, ...warning });
  }

  /** What was found since this was asked for last. */
  *found(): Generator<readonly Finding[]> {
    const findings = this.#latest;
    this.#latest = [];
    if (findings.length > 0) yield findings;
  }

  #find(remark: Remark): void {
    this.#add({ file: this.#file, ...remark });
  }

  #add(finding: Finding): void {
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
