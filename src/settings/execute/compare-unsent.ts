import { formatCanonicalJson, isObject } from '../../kernel/json.ts';
import { diffRecords } from '../differ.ts';
import { KIND_CLASSES } from '../kinds.ts';
import { findLiveRecord, type LiveRecord, type LiveRecords } from '../live-records.ts';
import type { SecretsByReference } from '../plan/item-secrets.ts';
import { formatComparable, isWritten, rebuildPlan } from '../plan/rebuild-plan.ts';
import { hasRecordChanged, type ReadyPlan, withoutVolatile } from '../plan/saved-plan.ts';
import type { Change, PlannedItem, PlannedWrite } from '../plan.ts';
import { createRecordKey, parseRecordKey, type RecordKey } from '../settings.ts';
import type { ItemFailure } from './item-states.ts';
import { comparedFields } from './read-back.ts';

/** Items of a stopped job that must not be sent, by index. */
export interface UnsentItems {
  /** Items that the service has as planned: a request without a recorded outcome was applied. */
  readonly landed: ReadonlySet<number>;
  /** Items whose records have neither the planned values nor those that the plan was made for. */
  readonly changed: ReadonlyMap<number, ItemFailure>;
}

interface CurrentState {
  readonly live: LiveRecords;
  readonly secrets: SecretsByReference;
  readonly isUnsent: (index: number) => boolean;
}

/** Compares the records that a stopped job has yet to write with the plan. */
export async function compareUnsent(
  plan: ReadyPlan,
  { live, secrets, isUnsent }: CurrentState,
): Promise<UnsentItems> {
  const comparison = new Comparison(plan, live, secrets);
  const landed = new Set<number>();
  const changed = new Map<number, ItemFailure>();
  const items = plan.writes.flatMap((write) => write.items.map((item) => ({ write, item })));
  for (const [index, { write, item }] of items.entries()) {
    const { kind, id } = parseRecordKey(item.key);
    if (!isUnsent(index)) continue;
    const isReadable = KIND_CLASSES[kind] !== 'sent';
    const state = isReadable ? await comparison.compare(item) : 'before';
    if (state === 'planned') landed.add(index);
    else if (state === 'changed') changed.set(index, { id, message: CHANGED, code: 'changed' });
    else if (!comparison.isPlanned(write, item))
      changed.set(index, { id, message: UNPLANNED, code: 'changed' });
  }
  return { landed, changed };
}

const UNPLANNED = 'is not what the plan shows; not sent';

const CHANGED =
  'has neither the planned values nor those that the plan was made for; left as it is';

/** State of an item's record in the service, compared with the plan. */
type RecordState = 'before' | 'planned' | 'changed';

class Comparison {
  readonly #plan: ReadyPlan;
  readonly #live: LiveRecords;
  readonly #secrets: SecretsByReference;
  readonly #shown: ReadonlyMap<RecordKey, readonly Change[]>;
  readonly #now: ReadonlyMap<RecordKey, readonly Change[]>;
  /** Endpoints that are replaced, by their ID. */
  readonly #replaced: ReadonlyMap<string, LiveRecord>;
  /** The writes that the values of the plan make now. */
  readonly #writes: ReadonlySet<string>;
  readonly #states = new Map<RecordKey, boolean>();

  constructor(plan: ReadyPlan, live: LiveRecords, secrets: SecretsByReference) {
    this.#plan = plan;
    this.#live = live;
    this.#secrets = secrets;
    this.#shown = groupByRecord(plan.changes);
    this.#now = groupByRecord(rebuildPlan(plan, { live, secrets }).changes);
    this.#replaced = new Map(
      plan.changes.flatMap(({ sign, before }) =>
        sign === '-/+' && isObject(before) ? [[String(before['id']), before]] : [],
      ),
    );
    const { writes } = rebuildPlan(plan, { live: this.#withReplaced(live), secrets });
    this.#writes = new Set(
      writes.flatMap((write) => write.items.map((item) => formatWrite(write, item))),
    );
  }

  /** Whether an item writes what the plan shows: someone could have changed the journal. */
  isPlanned(write: PlannedWrite, item: PlannedItem): boolean {
    return this.#writes.has(formatWrite(write, item));
  }

  async compare(item: PlannedItem): Promise<RecordState> {
    const { kind, id } = parseRecordKey(item.key);
    const old = this.#replaced.get(id);
    if (old) return this.#compareReplaced(old);
    const sign = this.#shown.get(item.key)?.[0]?.sign;
    const record = findLiveRecord(this.#live, item.key);
    if (sign === '-/+') {
      const isCreated = record && !this.#replaced.has(String(record['id']));
      if (!isCreated) return 'before';
      return this.#isAsPlanned(item, record) ? 'planned' : 'changed';
    }
    if (await this.#isUnchanged(item.key)) return 'before';
    if (sign === '-' && kind === 'endpoints')
      return this.#findEndpoint(item.data['endpointId']) ? 'changed' : 'planned';
    return record && this.#isAsPlanned(item, record) ? 'planned' : 'changed';
  }

  /** Returns the live records as they were before the plan replaced endpoints. */
  #withReplaced(live: LiveRecords): LiveRecords {
    const { endpoints } = live;
    if (!endpoints?.records || this.#replaced.size === 0) return live;
    const created = new Set(
      this.#plan.changes.flatMap(({ sign, id }) => (sign === '-/+' ? [id] : [])),
    );
    const others = endpoints.records.filter(
      ({ id, uid }) => !this.#replaced.has(String(id)) && !created.has(String(uid)),
    );
    return {
      ...live,
      endpoints: { ...endpoints, records: [...this.#replaced.values(), ...others] },
    };
  }

  #compareReplaced(before: LiveRecord): RecordState {
    const now = this.#findEndpoint(before['id']);
    if (!now) return 'planned';
    const [left, right] = [now, before].map((each) => formatCanonicalJson(withoutVolatile(each)));
    return left === right ? 'before' : 'changed';
  }

  #findEndpoint(id: unknown): LiveRecord | undefined {
    return this.#live.endpoints?.records?.find((endpoint) => endpoint['id'] === id);
  }

  #isAsPlanned(item: PlannedItem, record: LiveRecord): boolean {
    const differences = diffRecords(record, comparedFields(item, this.#secrets));
    return differences.every(({ isMasked }) => isMasked === true);
  }

  /** Whether the difference between a record and its planned value is what the plan shows. */
  async #isUnchanged(key: RecordKey): Promise<boolean> {
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    const [shown = [], now = []] = [this.#shown.get(key), this.#now.get(key)];
    const isSame =
      shown.length === now.length &&
      shown.every((change, at) => formatComparable(change) === formatComparable(now[at] as Change));
    // Differences of secrets are hidden.
    const isHidden = shown.some(({ before, after }) => before === 'differ' && after === 'differ');
    const isUnchanged =
      isSame &&
      (!isHidden || !(await hasRecordChanged(this.#plan, key, findLiveRecord(this.#live, key))));
    this.#states.set(key, isUnchanged);
    return isUnchanged;
  }
}

function formatWrite({ operation, shared }: PlannedWrite, { key, data }: PlannedItem): string {
  return formatCanonicalJson({ operation, shared, key, data });
}

function groupByRecord(changes: readonly Change[]): ReadonlyMap<RecordKey, readonly Change[]> {
  return Map.groupBy(changes.filter(isWritten), ({ kind, org, id }) =>
    createRecordKey(kind, org, String(id)),
  );
}
