import { diffRecords } from '../differ.ts';
import { groupByOrganization } from '../live/declared-query.ts';
import type { LiveRecord } from '../live/live-records.ts';
import type { Change, PlannedItem, PlannedWrite, RecordKey } from '../plan.ts';
import { createRecordKey } from '../record-key.ts';
import { createRefusedReading, groupWrites, omitFields, type PlanPart, type PlanSource, toShown } from './part.ts';

/** Plans documents: creates missing ones. Existing documents cannot be changed. */
export function planDocuments({ declared, live }: PlanSource): PlanPart {
  const changes: Change[] = [];
  const read: (readonly [RecordKey, LiveRecord | undefined])[] = [];
  const items: { readonly shared: PlannedWrite['shared']; readonly item: PlannedItem }[] = [];
  for (const [org, records] of groupByOrganization(declared.documents ?? [])) {
    const reading = live.documents.get(org);
    if (reading?.problem) {
      changes.push(...createRefusedReading('documents', org, reading.problem).changes);
      continue;
    }
    for (const record of records) {
      const { organizationId: _organization, documentId, folderId, ...fields } = record;
      const id = String(documentId);
      const key = createRecordKey('documents', org, id);
      const existing = reading?.records?.get(id);
      read.push([key, existing]);
      const change = { kind: 'documents', org, id } as const;
      if (existing) {
        // A document that was not found in its folder is in another one.
        const compared = { ...existing, folderId: existing['folderId'] ?? null };
        const declaredFields = omitFields({ ...fields, folderId }, []);
        for (const { path, before, after } of diffRecords(compared, declaredFields, { onlyDeclared: true })) {
          const reason = 'existing documents cannot be changed';
          changes.push({ sign: '!', ...change, field: path.join('.'), before, after, reason });
        }
        continue;
      }
      changes.push({ sign: '+', ...change, field: null, before: null, after: toShown(record) });
      const data = { documentId: id, ...omitFields(fields, ['disabled', 'accessType']) };
      const parent = typeof folderId === 'string' && folderId !== 'root' ? folderId : undefined;
      const requires = parent === undefined ? [] : [createRecordKey('folders', org, parent)];
      const shared = { organizationId: org, ...(parent !== undefined && { folderId: parent }) };
      items.push({ shared, item: { key, data, requires } });
    }
  }
  return { changes, writes: groupWrites('documents.add', items), read };
}
