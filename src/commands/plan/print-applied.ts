import type { Journal } from '../../bulk/journal/journal.ts';
import type { BulkSummary } from '../../bulk/summary.ts';
import { groupDigits } from '../../kernel/plural.ts';
import { formatMessage } from '../../output/message-text.ts';
import { summarize } from '../../settings/build-plan.ts';
import { readItemStates } from '../../settings/execute/item-states.ts';
import type { Change, PlanSummary, RecordKey } from '../../settings/plan.ts';
import { createRecordKey, parseRecordKey } from '../../settings/record-key.ts';
import type { SavedPlan } from '../../settings/saved-plan.ts';
import { printFailures } from '../bulk/print-summary.ts';
import type { Context } from '../context.ts';
import { countChanges } from './render-plan.ts';

const APPLIED = {
  create: 'created',
  update: 'updated',
  replace: 'replaced',
  delete: 'deleted',
  send: 'sent',
} as const satisfies Readonly<Record<keyof PlanSummary, string>>;

/** Prints the result of a job that applied a plan: the plan's data with `job` and `failed`, or the number of changes. */
export async function printApplied(
  context: Context,
  plan: SavedPlan,
  journal: Journal,
  summary: BulkSummary,
): Promise<void> {
  const { target, changes, predicted, notRestored, summary: planned } = plan;
  const { job, total, succeeded, failed, unknown, skipped, failures } = summary;
  context.activity.counts = { total, succeeded, failed, unknown, skipped };
  const applied = countApplied(plan, journal);
  if ((await context.format()) !== 'table' || context.options.fields) {
    const outcome = { job, applied, failed, unknown, skipped, failures };
    const result = { target, changes, predicted, notRestored, summary: planned, ...outcome };
    return (await context.printer()).value(result, {});
  }
  const { stdout } = context.io;
  const others = { failed, unknown, 'not sent': skipped };
  const counts = [
    countChanges({ summary: applied, changes: [] }, APPLIED),
    ...Object.entries(others).flatMap(([word, count]) => (count > 0 ? [`${groupDigits(count)} ${word}`] : [])),
  ];
  await stdout.write(await formatMessage(`Applied: ${counts.filter(Boolean).join(', ') || 'nothing'}`, stdout));
  await printFailures(context, summary);
}

/** Counts the records whose changes were all made. */
function countApplied({ writes, changes }: SavedPlan, journal: Journal): PlanSummary {
  const items = writes.flatMap((write) => write.items);
  const states = readItemStates(journal, items.length);
  const failed = new Set(Array.from(journal.unsuccessfulRecords(), ({ at }) => at));
  const isWritten = (index: number) => states.settled.has(index) && !failed.has(index);
  const unwritten = new Set(items.flatMap(({ key }, index) => (isWritten(index) ? [] : [recordOf(key)])));
  const made = changes.filter((change) => typeof change.after !== 'number' && !unwritten.has(keyOf(change)));
  const applied = summarize(made);
  return { ...applied, send: applied.send + states.users };
}

/** Returns the key of a record from the key of a part of it. */
function recordOf(key: RecordKey): RecordKey {
  const { kind, org, id } = parseRecordKey(key);
  return createRecordKey(kind, org, id);
}

function keyOf({ kind, org, id }: Change): RecordKey {
  return createRecordKey(kind, org, String(id));
}
