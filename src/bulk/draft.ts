import type { BulkFields } from '../catalog/bulk-fields.ts';
import { isObject } from '../kernel/is-object.ts';
import type { Problem } from './problem.ts';
import type { BulkRecord } from './record.ts';
import { PlainScalar } from './source/plain-scalar.ts';
import type { Source, SourceRecord } from './source/record.ts';
import type { Target } from './target.ts';
import { recordConverter } from './typed-text.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A record as it was read, on its way into a request. */
export interface Draft {
  /** What its schema has to accept. */
  readonly value: unknown;
  /** The fields of the record itself. */
  readonly own: Fields;
  readonly id: unknown;
  /** The id was made up. */
  readonly minted: boolean;
  /** The record is not sent as it was read: something was left out or converted. */
  readonly isChanged: boolean;
  /** What is wrong with it beside what its schema refuses. */
  readonly problems: readonly Problem[];
  /** How many of these are about its target. */
  readonly astray: number;
}

/** What the drafts of one input have in common. */
export interface DraftRules {
  readonly fields: BulkFields;
  /** What the calls hold beside their records. Where each record is a call, the record is laid over it. */
  readonly shared: Fields;
  /** Where all records go. */
  readonly target?: Target;
  /** The id of a record that has none, by its position: the same one whenever it is asked for. */
  mint(index: number): string;
}

const NOTHING: Fields = {};

/** Makes drafts of the records of a source. */
export function drafter(source: Source, rules: DraftRules): (record: SourceRecord, index: number) => Draft {
  const { id, field, bareIds, mints, schema } = rules.fields;
  const targetFields = rules.target?.fields ?? [];
  const convert = recordConverter(schema, source.format, targetFields);
  return ({ value }, index) => {
    const problems: Problem[] = [];
    const isBare = bareIds && (typeof value !== 'object' || value instanceof PlainScalar);
    const whole = convert(isBare ? { [id]: value } : value, problems);
    if (!isObject(whole)) return { ...NO_RECORD, value: whole };
    const atTarget = rules.target ? withoutTarget(whole, rules.target, problems) : { own: whole, astray: 0 };
    const minted = mints === true && whole[id] === undefined;
    const own = minted ? { ...atTarget.own, [id]: rules.mint(index) } : atTarget.own;
    const input = field === undefined ? { ...rules.shared, ...own } : own;
    return { ...atTarget, value: input, own, id: own[id], minted, isChanged: atTarget.own !== value, problems };
  };
}

const NO_RECORD = { own: NOTHING, id: undefined, minted: false, isChanged: false, astray: 0, problems: [] };

/** A record without the fields that repeat the target of its run. */
function withoutTarget(whole: Fields, target: Target, problems: Problem[]) {
  const stated = target.fields.filter((name) => Object.hasOwn(whole, name));
  let astray = 0;
  for (const name of stated) {
    const message = target.conflict(name, whole[name]);
    if (message === undefined) continue;
    problems.push({ field: name, message });
    astray += 1;
  }
  if (stated.length === 0) return { own: whole, astray };
  const own = { ...whole };
  for (const name of stated) delete own[name];
  return { own, astray };
}

/** Finishes drafts that were found to be valid. */
export function finisher(source: Source, { fields }: DraftRules) {
  const { id: idField, bareIds } = fields;
  const unchanged = sendsText(source, fields);
  return (record: SourceRecord, { value, own, minted, isChanged }: Draft, index: number): BulkRecord => {
    const id = String(own[idField]);
    if (unchanged && !minted && !isChanged) return new UnchangedRecord(id, index, record);
    const text = minted ? () => source.withField(record, idField, id) : () => record.text;
    return new ChangedRecord({ id, index, line: record.line, value: bareIds ? id : value }, own, text);
  };
}

/** Whether what is sent of a record is the text that its source holds, unless its id was made up or a field is left out. */
export function sendsText({ isVerbatim }: Pick<Source, 'isVerbatim'>, { field, bareIds }: BulkFields): boolean {
  return isVerbatim && field !== undefined && !bareIds;
}

/** A record that is sent as the JSON text that it was read as. */
export class UnchangedRecord implements BulkRecord {
  readonly id: string;
  readonly index: number;
  readonly #record: SourceRecord;

  constructor(id: string, index: number, record: SourceRecord) {
    this.id = id;
    this.index = index;
    this.#record = record;
  }

  get line(): number {
    return this.#record.line;
  }

  get value(): unknown {
    return this.#record.value;
  }

  get text(): string {
    return this.#record.text;
  }

  get jsonLine(): string {
    return JSON.stringify(this.value);
  }

  get json(): string {
    return this.#record.text;
  }
}

/** A record that is written anew. Few records are ever rejected, and the text of one can be costly to make. */
class ChangedRecord implements BulkRecord {
  readonly id: string;
  readonly index: number;
  readonly line: number;
  readonly value: unknown;
  readonly #own: Fields;
  readonly #text: () => string;

  constructor(
    { id, index, line, value }: Pick<BulkRecord, 'id' | 'index' | 'value'> & { readonly line: number },
    own: Fields,
    text: () => string,
  ) {
    this.id = id;
    this.index = index;
    this.line = line;
    this.value = value;
    this.#own = own;
    this.#text = text;
  }

  /** With an id that was made up: a record that perhaps landed must come again under the same one. */
  get text(): string {
    return this.#text();
  }

  get jsonLine(): string {
    return JSON.stringify(this.#own);
  }

  get json(): string {
    return JSON.stringify(this.value);
  }
}
