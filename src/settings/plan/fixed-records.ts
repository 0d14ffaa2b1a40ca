import { RECORD_KINDS } from '../../catalog/record-kinds.ts';
import { diffRecords } from '../differ.ts';
import { groupByOrganization } from '../live/declared-query.ts';
import type { LiveRecord } from '../live-records.ts';
import type { Change, PlannedItem, PlannedWrite, ReadRecord } from '../plan.ts';
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
