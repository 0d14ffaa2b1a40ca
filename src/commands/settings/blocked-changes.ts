import { SvcError } from '../../kernel/errors.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import type { LiveRecords } from '../../settings/live-records.ts';
import { type Change, identifyRecord, type Plan } from '../../settings/plan.ts';

/**
 * Returns one change for each record that a plan cannot change, or not completely, because it cannot
 * be read, or because the API cannot write it. A single field that the service masks does not count.
 */
export function findBlocked({ changes }: Pick<Plan, 'changes'>): readonly Change[] {
  const records = Map.groupBy(changes.filter(isBlocked), identifyRecord).values();
  return Array.from(records).flatMap(([first]) => first ?? []);
}

function isBlocked({ sign, field }: Change): boolean {
  return sign === '!' || (sign === '?' && field === null);
}

/** Describes a blocked change like the failure of a record. */
export function describeBlocked({ kind, org, id, reason }: Change) {
  const name = [kind, id, org === null ? null : `(${org})`].filter((part) => part !== null);
  return { id: name.join(' '), line: null, message: reason ?? 'not possible', code: null };
}

/**
 * Creates the error of an applied plan with blocked changes. If nothing could be read, the error is
 * the service's refusal.
 * @param live the records on which the plan is based, unless they are no longer known
 */
export function createBlockedError(
  plan: Pick<Plan, 'changes'>,
  live?: LiveRecords,
): SvcError | undefined {
  const blocked = findBlocked(plan);
  const [first] = blocked;
  if (!first) return undefined;
  const refusal = live && blocked.map((change) => findRefusal(live, change)).find(Boolean);
  const isAlone = plan.changes.every(isBlocked) && live && !hasReadings(live);
  const { id, message } = describeBlocked(first);
  const others = blocked.length > 1 ? ` and ${formatNounCount(blocked.length - 1, 'other')}` : '';
  const text = `could not apply ${id}${others}: ${message}`;
  if (refusal && isAlone) return refusal.reworded({ message: text });
  const correct = first.sign === '!' && 'correct these records in the settings file';
  const hint = refusal?.structuredHint ?? correct;
  return new SvcError('records_failed', text, { ...(hint && { hint }) });
}

function hasReadings({ configs, folders, documents, endpoints, agents }: LiveRecords): boolean {
  const readings = [...configs.values(), ...folders.values(), ...documents.values()];
  return (
    readings.some(({ problem }) => !problem) ||
    endpoints?.records !== undefined ||
    (agents.records?.size ?? 0) > 0
  );
}

function findRefusal(live: LiveRecords, { sign, kind, org, id }: Change): SvcError | undefined {
  if (sign !== '?') return undefined;
  switch (kind) {
    case 'config':
      return [...live.configs].find(([name]) => name === id)?.[1].problem;
    case 'folders':
    case 'documents':
      return live[kind].get(org ?? '')?.problem;
    case 'endpoints':
      return live.endpoints?.problem;
    case 'agents':
      return live.agents.problem;
    default:
      return undefined;
  }
}
