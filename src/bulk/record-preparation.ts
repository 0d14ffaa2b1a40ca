import { createHash } from 'node:crypto';
import type { BulkFields } from '../catalog/bulk-fields.ts';
import { type Fields, isObject } from '../kernel/json.ts';
import type { BulkRecord } from './batches.ts';
import { createRecordConverter } from './record-conversion.ts';
import type { RecordProblem } from './record-problem.ts';
import type { RecordTarget, RecordTargets, TargetConflict } from './record-targets.ts';
import { PlainScalar } from './source/plain-scalar.ts';
import type { Source, SourceRecord } from './source/source.ts';

export interface PreparedRecord {
  readonly value: unknown;
  readonly ownFields: Fields;
  readonly id: unknown;
  readonly hasGeneratedId: boolean;
  /** Whether the record differs from its source, because a field was dropped or converted. */
  readonly isChanged: boolean;
  /** Problems that the schema does not detect. */
  readonly problems: readonly RecordProblem[];
  /** Targets that differ from those of the command. */
  readonly conflicts: readonly TargetConflict[];
  readonly target?: RecordTarget | undefined;
}

export interface PreparationRules {
  readonly fields: BulkFields;
  /**
   * Fields of every request. If each record is sent in a separate request, the record's own fields
   * take precedence.
   */
  readonly shared: Fields;
  readonly targets?: RecordTargets;
  /** Organizations that records name, and those to use in their place. */
  readonly organizationMap?: ReadonlyMap<string, string>;
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
  const targetFields = field === undefined ? [] : (rules.targets?.fields ?? []);
  const fromListed = createListedConverter(rules.fields, omitted);
  const convert = createRecordConverter(schema, source.format, targetFields);
  return ({ value }, index) => {
    const problems: RecordProblem[] = [];
    const isBare = bareIds && (typeof value !== 'object' || value instanceof PlainScalar);
    const own = convert(isBare ? { [id]: value } : fromListed(value, problems), problems);
    if (!isObject(own)) return { ...NOT_AN_OBJECT, value: own };
    const converted = withOrganization(own, rules.organizationMap);
    const conflicts = rules.targets?.findConflicts(converted) ?? [];
    const omissions = rules.targets?.findOmissions(converted) ?? [];
    if (field !== undefined) problems.push(...omissions);
    const stated = withoutFields(converted, targetFields);
    const hasGeneratedId = generatesIds === true && converted[id] === undefined;
    const ownFields = hasGeneratedId ? { ...stated, [id]: rules.generateId(index) } : stated;
    const input = field === undefined ? { ...rules.shared, ...ownFields } : ownFields;
    const target =
      stated === converted
        ? undefined
        : rules.targets?.targetOf(converted, bareIds ? ownFields[id] : input);
    if (target) problems.push(...(rules.targets?.problemsOf(target) ?? []));
    return {
      value: input,
      ownFields,
      id: ownFields[id],
      hasGeneratedId,
      isChanged: stated !== value,
      problems,
      conflicts,
      target,
    };
  };
}

const NOT_AN_OBJECT = {
  ownFields: {} as Fields,
  id: undefined,
  hasGeneratedId: false,
  isChanged: false,
  conflicts: [],
  problems: [],
};

/** Replaces the organization that a record names, if the map has it. */
function withOrganization(record: Fields, map: PreparationRules['organizationMap']): Fields {
  const { organizationId } = record;
  const replacement = typeof organizationId === 'string' ? map?.get(organizationId) : undefined;
  return replacement === undefined ? record : { ...record, organizationId: replacement };
}

/** Removes fields of a record. Returns the record itself if it has none of them. */
function withoutFields(record: Fields, fields: readonly string[]): Fields {
  if (!fields.some((name) => Object.hasOwn(record, name))) return record;
  return Object.fromEntries(Object.entries(record).filter(([name]) => !fields.includes(name)));
}

export function createFinalizer(source: Source, { fields }: PreparationRules) {
  const { id: idField, bareIds } = fields;
  const unchanged = canSendSourceText(source, fields);
  return (record: SourceRecord, prepared: PreparedRecord, index: number): BulkRecord => {
    const { ownFields, hasGeneratedId, isChanged } = prepared;
    const id = String(ownFields[idField]);
    if (unchanged && !hasGeneratedId && !isChanged) return new UnchangedRecord(id, index, record);
    const text = hasGeneratedId ? () => source.withField(record, idField, id) : () => record.text;
    return new ChangedRecord(
      id,
      record,
      index,
      bareIds ? { ...prepared, value: id } : prepared,
      text,
    );
  };
}

/**
 * Whether a record can be sent as the text in its source, unless its ID was generated or a field
 * was changed.
 */
export function canSendSourceText(
  { isVerbatim }: Pick<Source, 'isVerbatim'>,
  { field, bareIds }: BulkFields,
): boolean {
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

/**
 * A record whose fields changed. `text` is computed on demand, because few records are rejected.
 */
export class ChangedRecord implements BulkRecord {
  readonly id: string;
  readonly index: number;
  readonly line: number | null;
  readonly value: unknown;
  readonly target: RecordTarget | undefined;
  readonly #ownFields: Fields;
  readonly #text: () => string;

  constructor(
    id: string,
    { line }: Pick<BulkRecord, 'line'>,
    index: number,
    prepared: Pick<PreparedRecord, 'value' | 'ownFields' | 'target'>,
    text: () => string,
  ) {
    this.id = id;
    this.index = index;
    this.line = line;
    this.value = prepared.value;
    this.target = prepared.target;
    this.#ownFields = prepared.ownFields;
    this.#text = text;
  }

  /**
   * Includes a generated ID: a record that may have been applied must be sent again with the same
   * ID.
   */
  get text(): string {
    return this.#text();
  }

  get jsonLine(): string {
    return JSON.stringify({ ...this.target?.data, ...this.#ownFields });
  }

  get json(): string {
    return JSON.stringify(this.value);
  }
}

/**
 * Converts the records of a list command to records to send.
 * @param omitted receives the names of omitted fields
 */
function createListedConverter(
  { listed, id }: Pick<BulkFields, 'listed' | 'id'>,
  omitted: Set<string>,
): (value: unknown, problems: RecordProblem[]) => unknown {
  if (!listed) return (value) => value;
  const { id: listedId = id, readOnly, inherited, nested, hasMemberships } = listed;
  const dropped = nested === undefined ? readOnly : [...readOnly, nested];
  return (value, problems) => {
    if (!isObject(value) || value instanceof PlainScalar || !Object.hasOwn(value, listedId))
      return value;
    const has = (name: string) => Object.hasOwn(value, name);
    if (hasMemberships && MEMBERSHIP_FIELDS.every(has))
      return convertMembership(value, problems, omitted);
    const hasBothIds = listedId !== id && Object.hasOwn(value, id);
    const isListed = hasBothIds ? readOnly.every(has) : listedId !== id || dropped.some(has);
    if (!isListed) return value;
    const names = Object.keys(value);
    const children = nested === undefined ? undefined : value[nested];
    if (nested !== undefined && Array.isArray(children) && children.length > 0)
      problems.push({
        field: nested,
        message: 'nested records are not sent; pass each one as a separate record',
      });
    // With both, the listed ID is the service's own.
    const isDropped = (name: string) => dropped.includes(name) || (hasBothIds && name === listedId);
    for (const name of names) if (isDropped(name)) omitted.add(name);
    const unset = inherited && isTrue(value[inherited.flag]) ? inherited.field : undefined;
    const kept = names.filter((name) => !isDropped(name) && name !== unset);
    return Object.fromEntries(kept.map((name) => [name === listedId ? id : name, value[name]]));
  };
}

const MEMBERSHIP_FIELDS = ['level', 'role', 'addedAt', 'state'];

/** Converts a membership, as `svc local list` prints it, to a user with an access role and a target. */
function convertMembership(
  { level, role, addedAt: _at, state: _state, expiresAt, id, ...user }: Fields,
  problems: RecordProblem[],
  omitted: Set<string>,
): Fields {
  for (const name of ['addedAt', 'state']) omitted.add(name);
  if ((plainValue(expiresAt) ?? '') !== '')
    problems.push({
      field: 'expiresAt',
      message: 'temporary access cannot be added with a user; grant it as a permission',
    });
  const kind = plainValue(level);
  return { ...user, accessRole: role, ...(kind !== 'organization' && { [`${kind}Id`]: id }) };
}

function isTrue(value: unknown): boolean {
  const plain = plainValue(value);
  return plain === true || plain === 'true';
}

function plainValue(value: unknown): unknown {
  return value instanceof PlainScalar ? value.value : value;
}

/**
 * Creates IDs in UUID format. They depend only on job and index, so that a resumed job generates
 * the same ones.
 */
export function createIdGenerator(job: string): (index: number) => string {
  return (index) => {
    const bytes = createHash('sha256').update(`${job}\n${index}`).digest();
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  };
}
