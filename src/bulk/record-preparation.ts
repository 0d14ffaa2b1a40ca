import type { BulkFields } from '../catalog/bulk-fields.ts';
import { isObject } from '../kernel/json.ts';
import type { BulkRecord } from './batches.ts';
import type { CommonTarget } from './common-target.ts';
import { createListedConverter } from './listed-records.ts';
import { createRecordConverter } from './record-conversion.ts';
import type { RecordProblem } from './record-problem.ts';
import { PlainScalar } from './source/plain-scalar.ts';
import type { Source, SourceRecord } from './source/source.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface PreparedRecord {
  readonly value: unknown;
  readonly ownFields: Fields;
  readonly id: unknown;
  readonly hasGeneratedId: boolean;
  /** Whether the record differs from its source, because a field was dropped or converted. */
  readonly isChanged: boolean;
  /** Problems that the schema does not detect. */
  readonly problems: readonly RecordProblem[];
  readonly targetConflicts: number;
}

export interface PreparationRules {
  readonly fields: BulkFields;
  /** Fields of every request. If each record is sent in a separate request, the record's own fields take precedence. */
  readonly shared: Fields;
  readonly target?: CommonTarget;
  /** Generates the ID of a record from its index. Always returns the same ID for an index. */
  generateId(index: number): string;
}

/** @param omitted receives the names of the fields of listed records that are dropped */
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
    const converted = convert(isBare ? { [id]: value } : fromListed(value, problems), problems);
    if (!isObject(converted)) return { ...NOT_AN_OBJECT, value: converted };
    const atTarget = rules.target
      ? removeTargetFields(converted, rules.target, problems)
      : { ownFields: converted, targetConflicts: 0 };
    const hasGeneratedId = generatesIds === true && converted[id] === undefined;
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
  ownFields: {} as Fields,
  id: undefined,
  hasGeneratedId: false,
  isChanged: false,
  targetConflicts: 0,
  problems: [],
};

function removeTargetFields(converted: Fields, target: CommonTarget, problems: RecordProblem[]) {
  const stated = target.fields.filter((name) => Object.hasOwn(converted, name));
  let targetConflicts = 0;
  for (const name of stated) {
    const message = target.findConflict(name, converted[name]);
    if (message === undefined) continue;
    problems.push({ field: name, message });
    targetConflicts += 1;
  }
  if (stated.length === 0) return { ownFields: converted, targetConflicts };
  const ownFields = { ...converted };
  for (const name of stated) delete ownFields[name];
  return { ownFields, targetConflicts };
}

export function createFinalizer(source: Source, { fields }: PreparationRules) {
  const { id: idField, bareIds } = fields;
  const unchanged = canSendSourceText(source, fields);
  return (record: SourceRecord, { value, ownFields, hasGeneratedId, isChanged }: PreparedRecord, index: number): BulkRecord => {
    const id = String(ownFields[idField]);
    if (unchanged && !hasGeneratedId && !isChanged) return new UnchangedRecord(id, index, record);
    const text = hasGeneratedId ? () => source.withField(record, idField, id) : () => record.text;
    return new ChangedRecord(id, record, index, bareIds ? id : value, ownFields, text);
  };
}

/** Whether a record can be sent as the text in its source, unless its ID was generated or a field was changed. */
export function canSendSourceText({ isVerbatim }: Pick<Source, 'isVerbatim'>, { field, bareIds }: BulkFields): boolean {
  return isVerbatim && field !== undefined && !bareIds;
}

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

/** A record whose fields changed. `text` is computed on demand, because few records are rejected. */
class ChangedRecord implements BulkRecord {
  readonly id: string;
  readonly index: number;
  readonly line: number;
  readonly value: unknown;
  readonly #ownFields: Fields;
  readonly #text: () => string;

  constructor(id: string, { line }: SourceRecord, index: number, value: unknown, ownFields: Fields, text: () => string) {
    this.id = id;
    this.index = index;
    this.line = line;
    this.value = value;
    this.#ownFields = ownFields;
    this.#text = text;
  }

  /** Includes a generated ID: a record that may have been applied must be sent again with the same ID. */
  get text(): string {
    return this.#text();
  }

  get jsonLine(): string {
    return JSON.stringify(this.#ownFields);
  }

  get json(): string {
    return JSON.stringify(this.value);
  }
}
