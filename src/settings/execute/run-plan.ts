import type { StopReason } from '../../bulk/batch-request.ts';
import { JobCounters } from '../../bulk/job-counters.ts';
import { JobRecorder } from '../../bulk/job-recorder.ts';
import type { Journal } from '../../bulk/journal/journal.ts';
import { Metrics } from '../../bulk/journal/metrics.ts';
import { SvcError } from '../../kernel/errors.ts';
import type { Plan, PlannedWrite, RecordKey } from '../plan.ts';
import { countUsersToSend } from '../users-file.ts';
import type { UnsentItems } from './compare-unsent.ts';
import {
  countItems,
  type ExecutionDependencies,
  findSentFile,
  PlanExecution,
} from './execute-plan.ts';
import {
  failItems,
  findWritten,
  readItemStates,
  readOutcomes,
  reopenFailures,
  settleItems,
  type WrittenItems,
} from './item-states.ts';
import { type CreatedEndpoint, readBack } from './read-back.ts';

export interface PlanRunDependencies
  extends Omit<ExecutionDependencies, 'target' | 'recorder' | 'states' | 'failed'> {
  readonly journal: Journal;
  /** For a resumed job: finds items that must not be sent. */
  readonly compareUnsent?: (isUnsent: (index: number) => boolean) => Promise<UnsentItems>;
  /** Called before the first write. Returns a function to call at the end. */
  readonly onStart: (
    counters: JobCounters,
    execution: Pick<PlanExecution, 'inFlight'>,
  ) => Promise<() => Promise<void>>;
}

export interface EndedRun {
  readonly stop: StopReason | undefined;
  readonly counters: JobCounters;
  readonly recorder: JobRecorder;
  readonly metrics: Metrics;
  readonly createdEndpoints: readonly CreatedEndpoint[];
  /** Items that earlier runs had written. */
  readonly earlier: WrittenItems;
}

/**
 * Sends the writes of a plan that have no recorded success, and then reads the written records
 * back. A record that differs from its write counts as failed.
 */
export async function runPlan(
  plan: Pick<Plan, 'target' | 'writes'>,
  dependencies: PlanRunDependencies,
): Promise<EndedRun> {
  const { journal, client, clock, secrets, onStart } = dependencies;
  reopenFailures(journal);
  const failed = await settleUnsent(plan.writes, dependencies);
  await countSentUsers(plan, dependencies);
  const counters = new JobCounters(journal.counts());
  const metrics = new Metrics(clock.now(), journal.getFact('metrics'));
  const recorder = new JobRecorder({ journal, clock, counters, metrics });
  const states = readItemStates(journal, countItems(plan.writes));
  const earlier = findWritten(journal, countItems(plan.writes));
  const execution = new PlanExecution({
    ...dependencies,
    target: plan.target,
    recorder,
    states,
    failed,
  });
  const end = await onStart(counters, execution);
  let stop: StopReason | undefined = await execution.run(plan.writes).finally(end);
  recorder.flush();
  let createdEndpoints: readonly CreatedEndpoint[] = [];
  if (!stop) {
    try {
      const { isWritten } = readOutcomes(journal, countItems(plan.writes));
      const { differences, ...read } = await readBack(client, plan.writes, secrets, isWritten);
      createdEndpoints = read.createdEndpoints;
      failItems(journal, differences);
      counters.succeeded -= differences.size;
      counters.failed += differences.size;
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      stop = { kind: 'fatal', error };
    }
  }
  return { stop, counters, recorder, metrics, createdEndpoints, earlier };
}

/**
 * Settles the items of a resumed job that must not be sent.
 * @returns the keys of those that failed
 */
async function settleUnsent(
  writes: readonly PlannedWrite[],
  { journal, compareUnsent }: PlanRunDependencies,
): Promise<readonly RecordKey[]> {
  if (!compareUnsent) return [];
  const items = writes.flatMap((write) => write.items);
  const { settled } = readItemStates(journal, items.length);
  const { landed, changed } = await compareUnsent((index) => !settled.has(index));
  settleItems(journal, landed, changed);
  return items.filter((_, index) => changed.has(index)).map(({ key }) => key);
}

/**
 * Replaces the journal's batches of users from a file with what the ledger knows: a resume sends
 * the other users.
 */
async function countSentUsers(
  { target, writes }: Pick<Plan, 'target' | 'writes'>,
  { journal, ledger, signal }: PlanRunDependencies,
): Promise<void> {
  const file = findSentFile(writes);
  const first = countItems(writes);
  const batches = [...journal.sentBatches()].filter((batch) => batch.first >= first);
  if (!file || batches.length === 0) return;
  const unsent = await countUsersToSend(file, (record) => ledger.knows(target, record), signal);
  const count = file.records - unsent.values().reduce((sum, users) => sum + users, 0);
  for (const batch of batches) journal.reopen(batch, []);
  const sent = { first, last: first + count - 1, count };
  if (count > 0) journal.reopen(sent, [sent]);
  journal.flush();
}
