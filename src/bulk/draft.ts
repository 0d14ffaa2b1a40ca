import { randomUUID } from 'node:crypto';
import type { BulkFields } from '../catalog/bulk-fields.ts';
import { isObject } from '../kernel/is-object.ts';
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
  /** What of it is sent. */
  readonly sent: unknown;
  /** As a file of rejects holds it. An id that was made up stands in it, so that sending it again cannot add twice. */
  readonly text: string;
}

/** What the drafts of one input have in common. */
export interface DraftRules {
  readonly fields: BulkFields;
  /** What the calls hold beside their records. Where each record is a call, the record is laid over it. */
  readonly shared: Fields;
}

/** Makes drafts of the records of a source. */
export function drafter(source: Source, { fields, shared }: DraftRules): (record: SourceRecord) => Draft {
  const { id, field, bareIds, mints, schema } = fields;
  const onlyText = source.format === 'csv' || source.format === 'yaml';
  const typed = onlyText ? textConverter(schema) : undefined;
  return (record) => {
    const { value } = record;
    const whole = bareIds && typeof value !== 'object' ? { [id]: value } : (typed?.(value) ?? value);
    if (!isObject(whole)) return { value: whole, own: {}, id: undefined, sent: undefined, text: record.text };
    const minted = mints && whole[id] === undefined ? randomUUID() : undefined;
    const own = minted === undefined ? whole : { ...whole, [id]: minted };
    const input = field === undefined ? { ...shared, ...own } : own;
    return {
      value: input,
      own,
      id: own[id],
      sent: bareIds ? own[id] : input,
      text: minted === undefined ? record.text : source.withField(record, id, minted),
    };
  };
}
