import { CONTENT_KINDS, RECORD_KINDS } from '../../catalog/record-kinds.ts';
import type { State } from '../../catalog/state.ts';
import type { Change } from '../plan.ts';
import { createRecordKey, type DeclaredRecord } from '../settings.ts';
import { type ComparedRecords, collectDeclaredRecords, compareRecords } from './compare.ts';

/**
 * Compares all records of two exported states, including content that settings files do not
 * declare.
 */
export function compareStates(first: State, second: State): readonly Change[] {
  return [collectDeclaredRecords, collectContent].flatMap((collect) =>
    compareRecords(collect(first), collect(second)),
  );
}

function collectContent(state: State): ComparedRecords {
  const records: [string, DeclaredRecord][] = CONTENT_KINDS.flatMap((kind) => {
    const fields: readonly string[] = RECORD_KINDS[kind].identity;
    const isOfOrganization = fields[0] === 'organizationId';
    const names = isOfOrganization ? fields.slice(1) : fields;
    return state[kind].map((record: DeclaredRecord) => {
      const org = isOfOrganization ? String(record['organizationId']) : null;
      const id = names.map((name) => record[name] ?? '').join('/');
      return [createRecordKey(kind, org, id), record] satisfies [string, DeclaredRecord];
    });
  });
  return { records: new Map(records), isDeclared: true, unreadable: [] };
}
