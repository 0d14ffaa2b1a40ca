import { diffRecords } from '../differ.ts';
import { createRecordKey } from '../record-key.ts';
import { createChange, createRefusedReading, joinParts, type PlanPart, type PlanSource } from './part.ts';

export function planAgents({ declared, live }: PlanSource): PlanPart {
  const { agents = [] } = declared;
  const { records, problem } = live.agents;
  if (agents.length > 0 && problem) return createRefusedReading({ kind: 'agents', org: null, id: null }, problem);
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
