import type { BulkFields, TargetField } from '../catalog/bulk-fields.ts';
import { findIdProblem } from '../kernel/id-text.ts';
import type { Fields } from '../kernel/json.ts';
import { BATCH_SIZE } from './pace.ts';
import { findRecordProblems, type RecordProblem } from './record-problem.ts';

/** The organization, document, folder, or group that a record names. A request has one target. */
export class RecordTarget {
  /**
   * JSON text that sorts targets by organization first. An import can have many targets, so it is
   * all that they store.
   */
  readonly key: string;
  /** Number of records to send. */
  records = 0;

  constructor(key: string) {
    this.key = key;
  }

  get data(): Fields {
    return Object.fromEntries(JSON.parse(this.key));
  }
}

/** A field of a record that names a different target than the command. */
export interface TargetConflict extends RecordProblem {
  readonly field: string;
  readonly value: unknown;
}

const NO_PROBLEMS: readonly RecordProblem[] = [];

/** Stands for a required field that is not known yet when other fields are checked. */
const PLACEHOLDER = 'given by a flag';

/** Number of targets to keep for messages after the check. */
const MAX_KEPT = 100;

/**
 * Records may be sent as they are ordered if that takes at most this many more requests, relative
 * to the minimum.
 */
const MAX_EXTRA_REQUESTS = 0.1;

/**
 * The targets of an input: given by the command, or named by the records. A record may repeat a
 * given field, but must not name a different target, because it is unclear which one is meant.
 */
export class RecordTargets {
  readonly fields: readonly string[];
  readonly #fields: BulkFields;
  readonly #given: Fields;
  /** The target fields that the command sets for all records, with their values. */
  readonly #givenTargets: readonly (readonly [name: string, value: unknown])[];
  readonly #requiredNames: readonly string[];
  readonly #byKey = new Map<string, RecordTarget>();
  readonly #invalid = new Map<string, readonly RecordProblem[]>();
  readonly #acceptsUnclear: boolean;
  /** The first problem of each organization whose ID svc does not accept, if those are not problems. */
  readonly unclear = new Map<string, string>();
  #areReleased = false;
  /**
   * Whether the first record names a required field that is not given. All other records must do
   * the same.
   */
  readonly #named = new Map<string, boolean>();
  #records = 0;
  #runs = 0;
  #last: RecordTarget | undefined;

  /**
   * @param defaults fields of `data` that a record may override
   * @param acceptsUnclear whether an organization whose ID svc does not accept is only collected, to
   * ask about it
   */
  constructor(
    fields: BulkFields,
    data: Fields,
    defaults: readonly string[] = [],
    acceptsUnclear = false,
  ) {
    this.#fields = fields;
    this.#acceptsUnclear = acceptsUnclear;
    const isGiven = ([name, value]: [string, unknown]) =>
      value !== undefined && !defaults.includes(name);
    this.#given = Object.fromEntries(Object.entries(data).filter(isGiven));
    const isOpen = ({ name, required }: TargetField) => required && this.#given[name] === undefined;
    this.#requiredNames = fields.targetFields.filter(isOpen).map(({ name }) => name);
    this.fields = fields.targetFields.map(({ name }) => name);
    this.#givenTargets = this.fields.flatMap((name) => {
      const value = this.#given[name];
      return value === undefined ? [] : [[name, value] as const];
    });
  }

  /** All targets, or the first ones after their release. */
  get all(): IteratorObject<RecordTarget> {
    return this.#byKey.values();
  }

  /** Forgets all targets but the first, to free memory. Call after the check. */
  release(): void {
    for (const key of this.#byKey.keys().drop(MAX_KEPT).toArray()) this.#byKey.delete(key);
    this.#areReleased = true;
  }

  /** Target fields that the command sets for all records. */
  get given(): readonly string[] {
    return this.#givenTargets.map(([name]) => name);
  }

  problemsOf({ key }: RecordTarget): readonly RecordProblem[] {
    return this.#invalid.get(key) ?? NO_PROBLEMS;
  }

  /** Whether the records name a required field that is not given. */
  isNamed(name: string): boolean {
    return this.#named.get(name) === true;
  }

  /** Finds target fields that differ from the given ones. */
  findConflicts(record: Fields): readonly TargetConflict[] {
    const problems: TargetConflict[] = [];
    for (const [name, given] of this.#givenTargets) {
      const stated = record[name];
      if (stated === undefined || given === stated) continue;
      problems.push({
        field: name,
        value: stated,
        message: `${quoted(stated)} differs from ${quoted(given)}, the target of all records`,
      });
    }
    return problems;
  }

  /** Finds required fields that only some of the records name. */
  findOmissions(record: Fields): readonly RecordProblem[] {
    const problems: RecordProblem[] = [];
    for (const name of this.#requiredNames) {
      const isNamed = record[name] !== undefined;
      const expected = this.#named.get(name);
      if (expected === undefined) this.#named.set(name, isNamed);
      else if (expected !== isNamed)
        problems.push({
          field: name,
          message: isNamed ? 'is missing in the first record' : 'is required',
        });
    }
    return problems;
  }

  /** Returns the target that a record names; `undefined` for none. */
  targetOf(record: Fields, value: unknown): RecordTarget | undefined {
    const named = this.fields.filter(
      (name) => this.#given[name] === undefined && record[name] !== undefined,
    );
    if (named.length === 0) return undefined;
    const key = JSON.stringify(named.map((name) => [name, record[name]]));
    const known = this.#byKey.get(key);
    if (known) return known;
    const target = new RecordTarget(key);
    if (this.#areReleased) return target;
    this.#byKey.set(key, target);
    const problems = this.#findProblems(target.data, value).filter(
      ({ field, message }) => !this.#collectUnclear(field, target.data, message),
    );
    if (problems.length > 0) this.#invalid.set(key, problems);
    return target;
  }

  /** Counts a record to send, in the order of the input. */
  count(target: RecordTarget): void {
    target.records += 1;
    this.#records += 1;
    if (target.key !== this.#last?.key) this.#runs += 1;
    this.#last = target;
  }

  /** Whether the input mixes its targets, so that sending it in order takes many small requests. */
  get areMixed(): boolean {
    const minimum = Math.max(this.#byKey.size, this.#records / BATCH_SIZE);
    return this.#runs - this.#byKey.size > MAX_EXTRA_REQUESTS * minimum;
  }

  /** Whether a problem is only collected. */
  #collectUnclear(field: string | undefined, { organizationId }: Fields, message: string): boolean {
    const isCollected =
      this.#acceptsUnclear &&
      field === 'organizationId' &&
      typeof organizationId === 'string' &&
      findIdProblem(organizationId) === message;
    if (isCollected) this.unclear.set(organizationId, message);
    return isCollected;
  }

  /** Whether a target has an organization whose ID is only collected. */
  isUnclear({ data: { organizationId } }: RecordTarget): boolean {
    return typeof organizationId === 'string' && this.unclear.has(organizationId);
  }

  #findProblems(data: Fields, value: unknown): readonly RecordProblem[] {
    const { field = '', input, targetFields } = this.#fields;
    const unknown = targetFields
      .filter(({ required }) => required)
      .map(({ name }) => [name, PLACEHOLDER]);
    const call = { ...Object.fromEntries(unknown), ...this.#given, ...data, [field]: [value] };
    return findRecordProblems(input, call).filter(
      (problem) => problem.field?.split('.', 1)[0] !== field,
    );
  }
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}
