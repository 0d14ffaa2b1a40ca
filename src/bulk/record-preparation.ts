import type { BulkFields } from '../catalog/bulk-fields.ts';
import { isObject } from '../kernel/is-object.ts';
import type { BulkRecord } from './bulk-record.ts';
import type { CommonTarget } from './common-target.ts';
import { createListedConverter } from './listed-records.ts';
import { createRecordConverter } from './record-conversion.ts';
import type { RecordProblem } from './record-problem.ts';
import { PlainScalar } from './source/plain-scalar.ts';
import type { Source, SourceRecord } from './source/source.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A record that was read and prepared for a request. */
export interface PreparedRecord {
  /** The value that the schema validates. */
  readonly value: unknown;
  /** The fields of the record itself. */
  readonly ownFields: Fields;
  readonly id: unknown;
  /** Whether svc generated the ID. */
  readonly hasGeneratedId: boolean;
  /** Whether the record differs from its source, because a field was dropped or converted. */
  readonly isChanged: boolean;
  /** Problems that the schema does not detect. */
  readonly problems: readonly RecordProblem[];
  /** Number of `problems` that are about the target. */
  readonly targetConflicts: number;
}

/** Rules that apply to all records of an input. */
export interface PreparationRules {
  readonly fields: BulkFields;
  /** Fields that all requests share. If each record is a request of its own, the record's fields override them. */
  readonly shared: Fields;
  /** The target of all records. */
  readonly target?: CommonTarget;
  /** Returns the ID of a record without one, by its index. Always returns the same ID for an index. */
  generateId(index: number): string;
}

const NO_FIELDS: Fields = {};

/**
 * Creates a function that prepares the records of a source.
 * @param omitted receives the names of fields of listed records that are not sent
 */
export function createPreparer(
  source: Source,
  rules: PreparationRules,
  omitted = new Set<string>(),
): (record: SourceRecord, index: number) => PreparedRecord {
  const { id, field, bareIds, generatesIds, schema } = rules.fields;
  const targetFields = rules.target?.fields ?? [];
  const fromListed = createListedConverter(rules.fields, omitted);
  const convert = createRecordConverter(schema, source.format, targetFields);
  return ({ value }, index) => {
    const problems: RecordProblem[] = [];
    const isBare = bareIds && (typeof value !== 'object' || value instanceof PlainScalar);
    const whole = convert(isBare ? { [id]: value } : fromListed(value, problems), problems);
    if (!isObject(whole)) return { ...NOT_AN_OBJECT, value: whole };
    const atTarget = rules.target
      ? removeTargetFields(whole, rules.target, problems)
      : { ownFields: whole, targetConflicts: 0 };
    const hasGeneratedId = generatesIds === true && whole[id] === undefined;
    const ownFields = hasGeneratedId ? { ...atTarget.ownFields, [id]: rules.generateId(index) } : atTarget.ownFields;
    const input = field === undefined ? { ...rules.shared, ...ownFields } : ownFields;
    return {
      ...atTarget,
      value: input,
      ownFields,
      id: ownFields[id],
      hasGeneratedId,
      isChanged: atTarget.ownFields !== value,
      problems,
    };
  };
}

const NOT_AN_OBJECT = {
  ownFields: NO_FIELDS,
  id: undefined,
  hasGeneratedId: false,
  isChanged: false,
  targetConflicts: 0,
  problems: [],
};

/** Removes the fields that repeat the common target. */
function removeTargetFields(whole: Fields, target: CommonTarget, problems: RecordProblem[]) {
  const stated = target.fields.filter((name) => Object.hasOwn(whole, name));
  let targetConflicts = 0;
  for (const name of stated) {
    const message = target.findConflict(name, whole[name]);
    if (message === undefined) continue;
    problems.push({ field: name, message });
    targetConflicts += 1;
  }
  if (stated.length === 0) return { ownFields: whole, targetConflicts };
  const ownFields = { ...whole };
  for (const name of stated) delete ownFields[name];
  return { ownFields, targetConflicts };
}

/** Creates a function that turns valid prepared records into records to send. */
export function createFinalizer(source: Source, { fields }: PreparationRules) {
  const { id: idField, bareIds } = fields;
  const unchanged = canSendSourceText(source, fields);
  return (
    record: SourceRecord,
    { value, ownFields, hasGeneratedId, isChanged }: PreparedRecord,
    index: number,
  ): BulkRecord => {
    const id = String(ownFields[idField]);
    if (unchanged && !hasGeneratedId && !isChanged) return new UnchangedRecord(id, index, record);
    const text = hasGeneratedId ? () => source.withField(record, idField, id) : () => record.text;
    return new ChangedRecord({ id, index, line: record.line, value: bareIds ? id : value }, ownFields, text);
  };
}

/** Whether a record can be sent as the text in its source, provided that its ID was not generated and no field dropped. */
export function canSendSourceText({ isVerbatim }: Pick<Source, 'isVerbatim'>, { field, bareIds }: BulkFields): boolean {
  return isVerbatim && field !== undefined && !bareIds;
}

/** A record that is sent as the JSON text from its source. */
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

/** A record that is serialized again. `text` is computed on demand: few records are rejected. */
class ChangedRecord implements BulkRecord {
  readonly id: string;
  readonly index: number;
  readonly line: number;
  readonly value: unknown;
  readonly #own: Fields;
  readonly #text: () => string;

  constructor(
    { id, index, line, value }: Pick<BulkRecord, 'id' | 'index' | 'value'> & { readonly line: number },
    ownFields: Fields,
    text: () => string,
  ) {
    this.id = id;
    this.index = index;
    this.line = line;
    this.value = value;
    this.#own = ownFields;
    this.#text = text;
  }

  /** Includes a generated ID: a record that may have been applied must be sent again under the same ID. */
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
