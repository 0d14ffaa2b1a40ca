import { SvcError } from '../../kernel/errors.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { isDeclarableUid } from '../file/identity.ts';
import type { LiveQuery, LiveRecord } from '../live-records.ts';
import {
  type Change,
  identifyRecord,
  type Plan,
  type PlannedWrite,
  type PlanSummary,
  type PlanTarget,
} from '../plan.ts';
import type { Declared, Kind } from '../settings.ts';
import { planEndpoints } from './endpoints.ts';
import { planAgents, planConfigs, planDocuments } from './fixed-records.ts';
import { planFolders } from './folders.ts';
import { joinParts, type PlanPart, type PlanSource } from './part.ts';
import { planGroupsAndUsers, planOrganizations } from './sent.ts';

export interface PlanInput extends PlanSource {
  readonly target: PlanTarget;
  readonly query: LiveQuery;
  /**
   * Maximum number of records to delete (default: 10, and at most half of the records of a kind).
   */
  readonly pruneLimit?: number | undefined;
}

const MAX_DELETED = 10;

/**
 * Compares the declared records with the live ones. Writes are in the order in which they must be
 * sent, deletions last.
 * @throws SvcError `usage` if the plan would delete more records than allowed
 */
export function buildPlan(input: PlanInput): Plan {
  const endpoints = planEndpoints(input);
  checkDeletions(input, endpoints);
  const parts = [
    planOrganizations,
    planFolders,
    planDocuments,
    planGroupsAndUsers,
    planAgents,
    planConfigs,
  ];
  const { changes, writes, read } = joinParts([...parts.map((plan) => plan(input)), endpoints]);
  return {
    target: input.target,
    changes,
    writes: selectRequired(writes),
    predicted: [],
    notRestored: [],
    summary: summarize(changes),
    query: input.query,
    read,
  };
}

export function selectKinds(declared: Declared, only: readonly Kind[]): Declared {
  if (only.length === 0) return declared;
  return Object.fromEntries(
    only.flatMap((kind) => (declared[kind] ? [[kind, declared[kind]]] : [])),
  );
}

function selectRequired(writes: readonly PlannedWrite[]): readonly PlannedWrite[] {
  const written = new Set(writes.flatMap(({ items }) => items.map(({ key }) => key)));
  return writes.map((write) => ({
    ...write,
    items: write.items.map((item) => ({
      ...item,
      requires: item.requires.filter((key) => written.has(key)),
    })),
  }));
}

export function summarize(changes: readonly Change[]): PlanSummary {
  const count = (wanted: Change['sign']) => changes.filter(({ sign }) => sign === wanted);
  const sent = count('>').map(({ after }) => (typeof after === 'number' ? after : 1));
  return {
    create: count('+').length,
    update: new Set(count('~').map(identifyRecord)).size,
    replace: count('-/+').length,
    delete: count('-').length,
    send: sent.reduce((sum, records) => sum + records, 0),
  };
}

function checkDeletions({ live, pruneLimit }: PlanInput, { changes }: PlanPart): void {
  const deleted = changes.filter(({ sign }) => sign === '-').length;
  const countable = ({ uid }: LiveRecord) =>
    typeof uid !== 'string' || uid === '' || isDeclarableUid(uid);
  const total = live.endpoints?.records?.filter(countable).length ?? 0;
  const limit = pruneLimit ?? Math.min(MAX_DELETED, Math.floor(total / 2));
  if (deleted <= limit) return;
  const count = formatNounCount(deleted, 'endpoint');
  throw new SvcError(
    'usage',
    `the plan would delete ${count} of ${total}, more than the limit of ${limit}`,
    {
      hint: `to delete them, add --prune-limit ${deleted}`,
    },
  );
}
