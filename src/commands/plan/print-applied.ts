import type { UnsuccessfulRecord } from '../../bulk/journal/unsuccessful-records.ts';
import type { BulkSummary } from '../../bulk/summary.ts';
import { singlePage } from '../../output/renderer.ts';
import { summarizeChanges } from '../../settings/build-plan.ts';
import { countItems } from '../../settings/execute/execute-plan.ts';
import { readItemStates } from '../../settings/execute/item-states.ts';
import type { Change, PlanSummary } from '../../settings/plan.ts';
import { createRecordKey, parseRecordKey } from '../../settings/record-key.ts';
import type { SavedPlan } from '../../settings/saved-plan.ts';
import type { Context } from '../context.ts';
import { formatMessage } from '../terminal/terminal-text.ts';
import type { ApplyJob } from './apply-job.ts';
import { countChanges } from './render-plan.ts';

/** Number of failures in the table format; the other formats contain more. */
const MAX_SHOWN_FAILURES = 10;

const APPLIED = {
  create: 'created',
  update: 'updated',
  replace: 'replaced',
  delete: 'deleted',
  send: 'sent',
} as const satisfies Readonly<Record<keyof PlanSummary, string>>;

/** An item that was not written. */
interface FailedItem {
  readonly kind: string;
  readonly org: string | null;
  readonly id: string;
  readonly message: string | null;
  readonly code: string | null;
}

/** Prints the result of a job that applied a plan: the plan's data with `job` and `failed`, or one line. */
export async function printApplied(context: Context, plan: SavedPlan, job: ApplyJob, summary: BulkSummary): Promise<void> {
  const { target, changes, predicted, notRestored, summary: planned } = plan;
  const { total, succeeded, failed, unknown, skipped } = summary;
  context.activity.counts = { total, succeeded, failed, unknown, skipped };
  const applied = summarizeChanges(findApplied(plan, job));
  const failures = Array.from(job.journal.unsuccessfulRecords(), (record) => describeFailure(plan, record));
  const result = {
    ...{ target, changes, predicted, notRestored, summary: planned, job: summary.job },
    ...{ applied, failed, unknown, notSent: skipped, failures: failures.slice(0, MAX_LISTED) },
  };
}
