import type { BulkFields } from '../catalog/bulk-fields.ts';
import { isObject } from '../kernel/is-object.ts';
import type { BulkRecord } from './record.ts';
import type { Source, SourceRecord } from './source/record.ts';
import { textConverter } from './typed-text.ts';

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
}

/** What the drafts of one input have in common. */
export interface DraftRules {
  readonly fields: BulkFields;
  /** What the calls hold beside their records. Where each record is a call, the record is laid over it. */
  readonly shared: Fields;
  /** The id of a record that has none, by its position: the same one whenever it is asked for. */
  mint(index: number): string;
}

const NOTHING: Fields = {};

/** Makes drafts of the records of a source. */
export function drafter(source: Source, rules: DraftRules): (record: SourceRecord, index: number) => Draft {
  const { id, field, bareIds, mints, schema } = rules.fields;
  const onlyText = source.format === 'csv' || source.format === 'yaml';
  const typed = onlyText ? textConverter(schema) : undefined;
  return ({ value }, index) => {
    const whole = bareIds && typeof value !== 'object' ? { [id]: value } : (typed?.(value) ?? value);
    if (!isObject(whole)) return { value: whole, own: NOTHING, id: undefined, minted: false };
    const minted = mints === true && whole[id] === undefined;
    const own = minted ? { ...whole, [id]: rules.mint(index) } : whole;
    const input = field === undefined ? { ...rules.shared, ...own } : own;
    return { value: input, own, id: own[id], minted };
  };
}

/** Finishes drafts that were found to be valid. */
export function finisher(source: Source, { fields }: DraftRules) {
  const { id: idField, field, bareIds } = fields;
  const keepsText = (source.format === 'json' || source.format === 'ndjson') && field !== undefined && !bareIds;
  return (record: SourceRecord, { value, own, minted }: Draft, index: number): BulkRecord => {
    const id = String(own[idField]);
    const sent = bareIds ? id : value;
    return {
      id,
      index,
      line: record.line,
      value: sent,
      // A record that perhaps landed must come again under the same id.
      text: minted ? source.withField(record, idField, id) : record.text,
      json: keepsText && !minted ? record.text : JSON.stringify(sent),
    };
  };
}
