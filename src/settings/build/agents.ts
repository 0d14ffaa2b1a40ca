import { diffRecords } from '../differ.ts';
import type { Change } from '../plan.ts';
import { createRecordKey } from '../record-key.ts';
import { createRefusedReading, type PlanPart, type PlanSource } from './part.ts';

/** Compares agents, which the interface cannot change. */
export function planAgents({ declared, live }: PlanSource): PlanPart {
  const { agents = [] } = declared;
  if (agents.length > 0 && live.agents.problem) return createRefusedReading('agents', null, live.agents.problem);
  const found = agents.map((record) => ({ record, existing: live.agents.records?.get(String(record['id'])) }));
  const changes = found.flatMap(({ record, existing }): readonly Change[] => {
    const change = { sign: '!', kind: 'agents', org: null, id: String(record['id']) } as const;
    if (!existing) {
      return [{ ...change, field: null, before: null, after: record, reason: 'agents cannot be created' }];
    }
    return diffRecords(existing, record, { onlyDeclared: true }).map(({ path, before, after }) => {
      const reason = 'agents cannot be changed';
      return { ...change, field: path.join('.'), before, after, reason };
    });
  });
  const read = found.map(
    ({ record, existing }) => [createRecordKey('agents', null, String(record['id'])), existing] as const,
  );
  return { changes, writes: [], read };
}
