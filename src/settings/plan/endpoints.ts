import { RECORD_KINDS } from '../../catalog/record-kinds.ts';
import { SvcError } from '../../kernel/errors.ts';
import { diffRecords, isUnset } from '../differ.ts';
import { findOwningStack } from '../file/identity.ts';
import { IGNORED_ENDPOINT_FIELDS } from '../kinds.ts';
import { findEndpoint, type LiveRecord } from '../live-records.ts';
import type { Change, PlannedItem, PlannedWrite, RecordKey } from '../plan.ts';
import { createRecordKey, type DeclaredRecord } from '../settings.ts';
import {
  createChange,
  createRefusedReading,
  type NewChange,
  omitFields,
  type PlanPart,
  type PlanSource,
  pickFields,
} from './part.ts';

const COMPARED = ['url', 'description', 'filterTypes', 'channels', 'disabled', 'rateLimit', 'uid'];
/** Fields that an update can set but not clear. */
export const NOT_CLEARABLE = ['filterTypes', 'channels', 'rateLimit'];
const ENABLE_KEY = createRecordKey('config', null, 'advancedWebhooks');
const keyOf = (id: unknown) => createRecordKey('endpoints', null, String(id));

/**
 * Plans webhook endpoints. Those to delete are planned last, except before an endpoint with the
 * same uid.
 */
export function planEndpoints(source: PlanSource): PlanPart {
  const { declared, live } = source;
  if (!declared.endpoints || !live.endpoints) return { changes: [], writes: [], read: [] };
  const { records, problem } = live.endpoints;
  if (problem && !isEnabledByPlan(source))
    return createRefusedReading({ kind: 'endpoints', org: null, id: null }, problem);
  const plan = new EndpointPlan(records ?? []);
  for (const record of declared.endpoints) plan.add(omitIgnored(record));
  if (source.prune) plan.prune(source.stack);
  if (source.deletions) plan.delete(source.deletions, source.stack);
  return plan.build();
}

function isEnabledByPlan({ declared, live }: PlanSource): boolean {
  return (
    declared.config?.['advancedWebhooks']?.['isEnabled'] === true &&
    !live.configs.get('advancedWebhooks')?.problem
  );
}

class EndpointPlan {
  readonly #live: readonly LiveRecord[];
  readonly #matched = new Set<LiveRecord>();
  readonly #changes: Change[] = [];
  readonly #read = new Map<RecordKey, LiveRecord | undefined>();
  readonly #deletesFirst: PlannedItem[] = [];
  readonly #updates: PlannedItem[] = [];
  readonly #creates: PlannedItem[] = [];
  readonly #deletes: PlannedItem[] = [];

  constructor(live: readonly LiveRecord[]) {
    this.#live = live;
  }

  /** Plans a declared endpoint, matched by uid, then by ID. */
  add(record: DeclaredRecord): void {
    const { uid, id } = record;
    const name = String(uid ?? id);
    const keys = [uid, id].filter((part) => part !== undefined && part !== null).map(String);
    const live = keys
      .map((key) => findEndpoint(this.#live, key))
      .find((found) => found !== undefined);
    for (const key of keys) this.#read.set(keyOf(key), findEndpoint(this.#live, key));
    if (live) {
      this.#matched.add(live);
      this.#change(name, live, record);
    } else if (isUnset(uid)) {
      const reason = 'there is no endpoint with this ID; declare a uid to create one';
      this.#note({ sign: '!', id: name, after: record, reason });
    } else {
      this.#note({ sign: '+', id: name, after: record, value: record });
      this.#create(record, []);
    }
  }

  prune(stack: string | undefined): void {
    if (stack === undefined) {
      throw new SvcError('usage', '--prune requires a stack, which owns the endpoints to delete', {
        hint: 'add a line such as "stack: acme" to the settings file, and give its endpoints uids such as "acme.billing"',
      });
    }
    for (const endpoint of this.#live)
      if (!this.#matched.has(endpoint) && findOwningStack(endpoint['uid']) === stack)
        this.#remove(endpoint);
  }

  /** Plans to delete endpoints of the stack. Skips uids of other endpoints. */
  delete(uids: readonly string[], stack: string | undefined): void {
    for (const name of uids) {
      const endpoint = this.#live.find(({ uid }) => uid === name);
      const owner = findOwningStack(name);
      if (endpoint && owner !== undefined && owner === stack) this.#remove(endpoint);
    }
  }

  build(): PlanPart {
    const writes: readonly PlannedWrite[] = [
      { operation: 'webhooks.endpoints.delete', shared: {}, items: this.#deletesFirst },
      { operation: 'webhooks.endpoints.update', shared: {}, items: this.#updates },
      { operation: 'webhooks.endpoints.create', shared: {}, items: this.#creates },
      { operation: 'webhooks.endpoints.delete', shared: {}, items: this.#deletes },
    ];
    return {
      changes: this.#changes,
      writes: writes.filter(({ items }) => items.length > 0),
      read: [...this.#read],
    };
  }

  #change(name: string, live: LiveRecord, record: DeclaredRecord): void {
    const declared = Object.fromEntries(
      COMPARED.flatMap((field) => (field in record ? [[field, record[field]]] : [])),
    );
    const differences = diffRecords(live, declared);
    if (differences.length === 0) return;
    const fixed = differences
      .filter(({ field, after }) => isFixed(field, after))
      .map(({ field }) => field);
    if (fixed.length > 0) {
      const reason = `${fixed.join(' and ')} cannot be ${fixed.includes('uid') ? 'changed' : 'cleared'}`;
      this.#note({ sign: '-/+', id: name, before: live, after: record, reason, value: record });
      this.#replace(live, record);
      return;
    }
    const data: Record<string, unknown> = { endpointId: live['id'] };
    for (const found of differences) {
      data[found.field] = found.after ?? (found.field === 'disabled' ? false : '');
      this.#note({ sign: '~', id: name, ...found, value: record });
    }
    this.#updates.push({ key: keyOf(name), data, requires: [ENABLE_KEY] });
  }

  #remove(endpoint: LiveRecord): void {
    const { id, uid } = endpoint;
    this.#read.set(keyOf(uid), endpoint);
    this.#note({ sign: '-', id: String(uid), before: endpoint, value: null });
    this.#deletes.push({ key: keyOf(uid), data: { endpointId: id }, requires: [] });
  }

  /** Creates the new endpoint before the old one is deleted, unless both have the same uid. */
  #replace(live: LiveRecord, record: DeclaredRecord): void {
    const merged = { ...omitFields(live, RECORD_KINDS.endpoints.serviceFields), ...record };
    const old = keyOf(live['id']);
    this.#read.set(old, live);
    if (merged.uid !== live['uid']) {
      this.#create(merged, []);
      this.#deletes.push({
        key: old,
        data: { endpointId: live['id'] },
        requires: [keyOf(merged.uid)],
      });
      return;
    }
    this.#deletesFirst.push({ key: old, data: { endpointId: live['id'] }, requires: [ENABLE_KEY] });
    this.#create(merged, [old]);
  }

  #create(record: DeclaredRecord, requires: readonly RecordKey[]): void {
    const data = pickFields(record, [...COMPARED, 'metadata']);
    this.#creates.push({ key: keyOf(record['uid']), data, requires: [ENABLE_KEY, ...requires] });
  }

  #note(change: Omit<NewChange, 'kind' | 'org'>): void {
    this.#changes.push(createChange({ ...change, kind: 'endpoints', org: null }));
  }
}

function omitIgnored(record: DeclaredRecord): DeclaredRecord {
  const fields = Object.entries(record);
  if (!fields.some(([name]) => IGNORED_ENDPOINT_FIELDS.includes(name))) return record;
  return Object.fromEntries(fields.filter(([name]) => !IGNORED_ENDPOINT_FIELDS.includes(name)));
}

function isFixed(field: string, after: unknown): boolean {
  return field === 'uid' || (NOT_CLEARABLE.includes(field) && isUnset(after));
}
