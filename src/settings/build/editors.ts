import { diffRecords } from '../differ.ts';
import { findLiveRecord, type LiveRecord } from '../live/live-records.ts';
import { parseEditorId, parseRecordKey } from '../settings.ts';
import {
  createChange,
  joinParts,
  type PlannedEditor,
  type PlanPart,
  type PlanSource,
} from './part.ts';

/** Plans the contents of existing editors. */
export function planEditors({ editors = [], live }: PlanSource): PlanPart {
  return joinParts(editors.map((editor) => planEditor(editor, findLiveRecord(live, editor.key))));
}

function planEditor({ key, value }: PlannedEditor, live: LiveRecord | undefined): PlanPart {
  const [before, after] = [live?.['data'], value['data']];
  const differences = diffRecords({ data: before }, { data: after }, { fieldsOf: 'both' });
  if (!live || differences.length === 0) return { changes: [], writes: [], read: [[key, live]] };
  const { kind, org, id } = parseRecordKey(key);
  const data = { organizationId: org, ...parseEditorId(id), ...value };
  return {
    changes: [createChange({ sign: '~', kind, org, id, field: 'data', before, after, value })],
    writes: [{ operation: 'crdt.update', shared: {}, items: [{ key, data, requires: [] }] }],
    read: [[key, live]],
  };
}
