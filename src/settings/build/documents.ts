import { IDENTITY_FIELDS } from '../../catalog/state.ts';
import { diffRecords } from '../differ.ts';
import { groupByOrganization } from '../live/declared-query.ts';
import type { LiveRecord } from '../live/live-records.ts';
import type { Change, PlannedItem, PlannedWrite, RecordKey } from '../plan.ts';
import { createRecordKey } from '../record-key.ts';
import type { DeclaredRecord } from '../settings.ts';
import {
  createChange,
  createRefusedReading,
  groupWrites,
  omitFields,
  type PlanPart,
  type PlanSource,
  toShown,
} from './part.ts';

/** Plans documents: creates missing ones. Existing documents cannot be changed. */
export function planDocuments({ declared, live }: PlanSource): PlanPart {
  const changes: Change[] = [];
  const read = new Map<RecordKey, LiveRecord | undefined>();
  const items: { readonly shared: PlannedWrite['shared']; readonly item: PlannedItem }[] = [];
  for (const [org, records] of groupByOrganization(declared.documents ?? [])) {
    const reading = live.documents.get(org);
    if (reading?.problem) {
      changes.push(...createRefusedReading({ kind: 'documents', org, id: null }, reading.problem).changes);
      continue;
    }
    for (const record of records) {
      const id = String(record['documentId']);
      const key = createRecordKey('documents', org, id);
      const existing = reading?.records?.get(id);
      read.set(key, existing);
      const about = { kind: 'documents', org, id } as const;
      if (existing) {
        const reason = 'existing documents cannot be changed';
        for (const found of diffRecords(existing, omitFields(record, IDENTITY_FIELDS.documents)))
          changes.push(createChange({ sign: '!', ...about, ...found, reason }));
      } else {
        changes.push(createChange({ sign: '+', ...about, after: toShown(record) }));
        items.push(createItem(org, key, record));
      }
    }
  }
  return { changes, writes: groupWrites('documents.add', items), read };
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
