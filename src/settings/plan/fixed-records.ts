import { RECORD_KINDS } from '../../catalog/record-kinds.ts';
import { isObject } from '../../kernel/json.ts';
import { isMasked } from '../../kernel/redact.ts';
import { diffRecords, isUnset } from '../differ.ts';
import { CONFIG_NAMES, CONFIGS, type ConfigName } from '../kinds.ts';
import { groupByOrganization } from '../live/declared-query.ts';
import type { LiveRecord } from '../live-records.ts';
import type { Change, PlannedItem, PlannedWrite, ReadRecord } from '../plan.ts';
import { SECRET_MARKER } from '../secret-value.ts';
import { createRecordKey, type DeclaredRecord } from '../settings.ts';
import {
  createChange,
  createRefusedReading,
  groupWrites,
  iterate,
  joinParts,
  omitFields,
  type PlanPart,
  type PlanSource,
  toData,
} from './part.ts';

/** Plans documents: creates missing ones. Existing documents cannot be changed. */
export function planDocuments({ declared, live }: PlanSource): PlanPart {
  return joinParts(
    Array.from(groupByOrganization(declared.documents ?? []), ([org, records]) => {
      const reading = live.documents.get(org);
      return reading?.problem
        ? createRefusedReading({ kind: 'documents', org, id: null }, reading.problem)
        : planDocumentsOf(org, records, reading?.records ?? new Map());
    }),
  );
}

function planDocumentsOf(
  org: string,
  records: readonly DeclaredRecord[],
  live: ReadonlyMap<string, LiveRecord>,
): PlanPart {
  const changes: Change[] = [];
  const items: { readonly shared: PlannedWrite['shared']; readonly item: PlannedItem }[] = [];
  for (const record of records) {
    const id = String(record['documentId']);
    const existing = live.get(id);
    const about = { kind: 'documents', org, id } as const;
    if (existing) {
      const reason = 'existing documents cannot be changed';
      for (const found of diffRecords(
        existing,
        omitFields(record, RECORD_KINDS.documents.identity),
      )) {
        const { before, ...change } = createChange({ sign: '!', ...about, ...found, reason });
        // Only the declared folder was read, so the folder of the document is unknown.
        const isUnknown = found.field === 'folderId' && existing['folderId'] === undefined;
        changes.push(isUnknown ? change : { ...change, before });
      }
    } else {
      changes.push(createChange({ sign: '+', ...about, after: record, value: record }));
      const { folderId: folder } = record;
      const isInFolder = typeof folder === 'string' && folder !== 'root';
      items.push({
        shared: { organizationId: org, ...(isInFolder && { folderId: folder }) },
        item: {
          key: createRecordKey('documents', org, id),
          data: omitFields(record, ['organizationId', 'folderId', 'disabled', 'accessType']),
          requires: isInFolder ? [createRecordKey('folders', org, folder)] : [],
        },
      });
    }
  }
  const read = iterate(() =>
    records.values().map(({ documentId }): ReadRecord => {
      const id = String(documentId);
      return [createRecordKey('documents', org, id), live.get(id)];
    }),
  );
  return { changes, writes: groupWrites('documents.add', items), read };
}

export function planAgents({ declared, live }: PlanSource): PlanPart {
  const { agents = [] } = declared;
  const { records, problem } = live.agents;
  if (agents.length > 0 && problem)
    return createRefusedReading({ kind: 'agents', org: null, id: null }, problem);
  const parts = agents.map((record): PlanPart => {
    const id = String(record['id']);
    const existing = records?.get(id);
    const change = { sign: '!', kind: 'agents', org: null, id } as const;
    const differences = existing ? diffRecords(existing, record) : [{ after: record }];
    const reason = existing ? 'agents cannot be changed' : 'agents cannot be created';
    return {
      changes: differences.map((found) => createChange({ ...change, ...found, reason })),
      writes: [],
      read: [[createRecordKey('agents', null, id), existing]],
    };
  });
  return joinParts(parts);
}

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
