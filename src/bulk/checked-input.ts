import { SvcError } from '../kernel/errors.ts';
import { didYouMean } from '../kernel/nearest.ts';
import { type Draft, type DraftRules, drafter } from './draft.ts';
import { problemOf } from './problem.ts';
import type { BulkRecord } from './record.ts';
import type { Source, SourceRecord } from './source/record.ts';

/** What records have to be. */
export interface RecordRules extends DraftRules {
  /** Which of several records with one id is sent; `fail` takes them for a mistake. */
  readonly duplicates: 'fail' | 'first' | 'last';
}

/** An input after a whole look at it. It may be sent when there are no findings. */
export interface CheckedInput {
  readonly records: readonly BulkRecord[];
  /** Left out because of another record with the same id. */
  readonly duplicates: readonly BulkRecord[];
  /** One line each: `users.json:7: email: expected text, got a number`. */
  readonly findings: readonly string[];
  /** Findings there are, of which `findings` holds the first. */
  readonly findingCount: number;
  /** One line for each field that the service does not know. */
  readonly warnings: readonly string[];
}

const MOST_FINDINGS = 100;

/** Reads an input to its end and checks each record. An input that breaks off adds the reason to the findings. */
export async function checkRecords(source: Source, rules: RecordRules): Promise<CheckedInput> {
  const check = new Check(source, rules);
  try {
    for await (const block of source.blocks) {
      for (const record of block) check.add(record);
    }
  } catch (error) {
    if (!(error instanceof SvcError && error.failure === 'bad_data')) throw error;
    if (check.findingCount === 0) throw error;
    check.find(error.message);
  }
  return check;
}

class Check implements CheckedInput {
  readonly #name: string;
  readonly #rules: RecordRules;
  readonly #draft: (record: SourceRecord) => Draft;
  readonly #byId = new Map<string, BulkRecord>();
  readonly #known: Set<string>;
  readonly duplicates: BulkRecord[] = [];
  readonly findings: string[] = [];
  readonly warnings: string[] = [];
  findingCount = 0;

  constructor(source: Source, rules: RecordRules) {
    this.#name = source.name;
    this.#rules = rules;
    this.#draft = drafter(source, rules);
    this.#known = new Set(rules.fields.known);
  }

  get records(): readonly BulkRecord[] {
    return [...this.#byId.values()];
  }

  add(record: SourceRecord): void {
    const { line } = record;
    const { value, own, id, sent, text } = this.#draft(record);
    const issues = this.#rules.fields.schema.safeParse(value).error?.issues ?? [];
    for (const issue of issues) this.find(`${this.#name}:${line}: ${problemOf(issue, value)}`);
    for (const field of Object.keys(own)) if (!this.#known.has(field)) this.#warnOf(field, line);
    if (typeof id === 'string') this.#keep({ id, line, value: sent, text });
  }

  find(finding: string): void {
    this.findingCount += 1;
    if (this.findings.length < MOST_FINDINGS) this.findings.push(finding);
  }

  /** Says of an unknown field once what becomes of it. */
  #warnOf(field: string, line: number): void {
    const { known, bareIds, id } = this.#rules.fields;
    const becomes = bareIds ? `is left out; of each record only '${id}' is sent` : 'is passed on as it is';
    const meant = bareIds ? '' : `; ${didYouMean(field, known)}`;
    this.#known.add(field);
    this.warnings.push(`${this.#name}:${line}: unknown field '${field}' ${becomes}${meant}`);
  }

  #keep(record: BulkRecord): void {
    const { fields, duplicates } = this.#rules;
    const earlier = this.#byId.get(record.id);
    if (!earlier) {
      this.#byId.set(record.id, record);
      return;
    }
    switch (duplicates) {
      case 'fail':
        this.find(`${this.#name}:${record.line}: ${fields.id}: '${record.id}' stands on line ${earlier.line} already`);
        break;
      case 'first':
        this.duplicates.push(record);
        break;
      case 'last':
        this.duplicates.push(earlier);
        // Deleted first, so that the record is sent where it stands and not where the earlier one stood.
        this.#byId.delete(record.id);
        this.#byId.set(record.id, record);
        break;
    }
  }
}
