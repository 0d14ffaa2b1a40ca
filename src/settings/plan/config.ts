import { isObject } from '../../kernel/json.ts';
import { isMasked } from '../../kernel/redact.ts';
import { diffRecords, isUnset } from '../differ.ts';
import { CONFIG_NAMES, CONFIGS, type ConfigName } from '../kinds.ts';
import type { LiveRecord } from '../live-records.ts';
import type { PlannedWrite } from '../plan.ts';
import { SECRET_MARKER } from '../secret-value.ts';
import { createRecordKey, type DeclaredRecord } from '../settings.ts';
import {
  createChange,
  createRefusedReading,
  joinParts,
  omitFields,
  type PlanPart,
  type PlanSource,
  toData,
} from './part.ts';

export function planConfigs({ declared, live }: PlanSource): PlanPart {
  const parts = CONFIG_NAMES.flatMap((name) => {
    const record = declared.config?.[name];
    const reading = live.configs.get(name);
    if (!record || !reading) return [];
    if (!reading.problem) return [planConfig(name, record, reading.records)];
    return [createRefusedReading({ kind: 'config', org: null, id: name }, reading.problem)];
  });
  return joinParts(parts);
}

function planConfig(name: ConfigName, record: DeclaredRecord, live: LiveRecord): PlanPart {
  const key = createRecordKey('config', null, name);
  const value = toData(record);
  const changes = diffRecords(live, record).map((found) => {
    const change = { kind: 'config', org: null, id: name, ...found } as const;
    if (!found.isMasked) return createChange({ sign: '~', ...change, value });
    return createChange({ sign: '?', ...change, reason: 'the service masks this secret' });
  });
  const item = { key, data: createInput(name, record, live), requires: [] };
  const write: PlannedWrite = { operation: CONFIGS[name].update, shared: {}, items: [item] };
  return {
    changes,
    writes: changes.some(({ sign }) => sign === '~') ? [write] : [],
    read: [[key, live]],
  };
}

/**
 * Returns every declared field, because the first enable depends on them, and the live values of
 * the other nested settings, in case the service replaces nested settings as a whole. A first
 * enable sets triggers and the type only if none are sent.
 */
function createInput(
  name: ConfigName,
  record: DeclaredRecord,
  live: LiveRecord,
): Readonly<Record<string, unknown>> {
  const { nested, secret, seedsTriggers } = CONFIGS[name];
  const data = toData(record) as Record<string, unknown>;
  const stored = nested && live[nested];
  if (!nested || !isObject(data[nested]) || !isObject(stored)) return data;
  const hasTriggers = isObject(stored['triggers']) && Object.keys(stored['triggers']).length > 0;
  const isSeeded = seedsTriggers && !hasTriggers;
  const set = Object.entries(omitFields(stored, SEEDED_FIELDS)).filter(
    ([, value]) => !isUnset(value),
  );
  const kept = isSeeded ? Object.fromEntries(set) : stored;
  const hidden: Record<string, unknown> = {
    ...kept,
    ...(!isUnset(stored[secret]) && { [secret]: { [SECRET_MARKER]: 'live' } }),
  };
  if (isMasked(stored[secret])) delete hidden[secret];
  return { ...data, [nested]: withLiveFields(hidden, data[nested]) };
}

/** Fields of nested settings that the first enable sets. */
const SEEDED_FIELDS = ['triggers', 'type'];

function withLiveFields(
  live: LiveRecord,
  declared: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const merged = { ...declared };
  for (const [field, value] of Object.entries(live)) {
    const own = Object.hasOwn(declared, field) ? declared[field] : undefined;
    if (own === undefined && value !== undefined) merged[field] = value;
    else if (isObject(own) && isObject(value) && !(SECRET_MARKER in own))
      merged[field] = withLiveFields(value, own);
  }
  return merged;
}
