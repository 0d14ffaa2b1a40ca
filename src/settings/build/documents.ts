import { IDENTITY_FIELDS } from '../../catalog/state.ts';
import { diffRecords } from '../differ.ts';
import { groupByOrganization } from '../live/declared-query.ts';
import type { LiveRecord } from '../live/live-records.ts';
import type { Change, PlannedItem, PlannedWrite, RecordKey } from '../plan.ts';
import { createRecordKey } from '../record-key.ts';
import type { DeclaredRecord } from '../settings.ts';
import { createRefusedReading, groupWrites, omitFields, type PlanPart, type PlanSource, toShown } from './part.ts';

/** Plans documents: creates missing ones. Existing documents cannot be changed. */
export function planDocuments({ declared, live }: PlanSource): PlanPart {
  const changes: Change[] = [];
  const read = new Map<RecordKey, LiveRecord | undefined>();
  const items: { readonly shared: PlannedWrite['shared']; readonly item: PlannedItem }[] = [];
  for (const [org, records] of groupByOrganization(declared.documents ?? [])) {
    const reading = live.documents.get(org);
    if (reading?.problem) {
      changes.push(...createRefusedReading('documents', org, reading.problem).changes);
      continue;
    }
    for (const record of records) {
      const id = String(record['documentId']);
      const key = createRecordKey('documents', org, id);
      const existing = reading?.records?.get(id);
      read.set(key, existing);
      if (existing) changes.push(...findChanges(org, id, existing, record));
      else {
        changes.push({ sign: '+', kind: 'documents', org, id, field: null, before: null, after: toShown(record) });
        items.push(createItem(org, key, record));
      }
    }
  }
  return { changes, writes: groupWrites('documents.add', items), read };
}

/** Returns the differences of an existing document. One that was not found in its declared folder is in another one. */
function findChanges(org: string, id: string, existing: LiveRecord, record: DeclaredRecord): readonly Change[] {
  const differs = ([field, value]: readonly [string, unknown]) =>
    !IDENTITY_FIELDS.documents.some((name) => name === field) && value !== existing[field];
  const declared = Object.entries(record).filter(differs);
  if (declared.length === 0) return [];
  const reason = 'existing documents cannot be changed';
  return diffRecords(existing, Object.fromEntries(declared), { onlyDeclared: true }).map(
    ({ path, before, after }): Change => ({
      ...{ sign: '!', kind: 'documents', org, id, field: path.join('.'), before, after, reason },
    }),
  );
}

function createItem(org: string, key: RecordKey, record: DeclaredRecord) {
  const { folderId } = record;
  const folder = typeof folderId === 'string' && folderId !== 'root' ? folderId : undefined;
  return {
    shared: { organizationId: org, ...(folder !== undefined && { folderId: folder }) },
    item: {
      key,
      data: omitFields(record, ['organizationId', 'folderId', 'disabled', 'accessType']),
      requires: folder === undefined ? [] : [createRecordKey('folders', org, folder)],
    },
  };
}
