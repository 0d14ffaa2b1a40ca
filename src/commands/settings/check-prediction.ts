import type { State } from '../../catalog/state.ts';
import { createReadOnlyClient } from '../../client/read-only.ts';
import { SvcError } from '../../kernel/errors.ts';
import { KIND_CLASSES } from '../../settings/kinds.ts';
import { readLive } from '../../settings/live/read-live.ts';
import { createSnapshot, selectPredictable, selectRead } from '../../settings/live/snapshot.ts';
import { isKnownField } from '../../settings/live/unknown-fields.ts';
import type { LiveRecords } from '../../settings/live-records.ts';
import {
  collectDeclaredRecords,
  collectLiveRecords,
  compareRecords,
} from '../../settings/plan/compare.ts';
import type { Plan } from '../../settings/plan.ts';
import type { ConnectedCommand, OutputParts, ProcessEnvironment } from '../context.ts';

const MAX_LISTED = 5;

/**
 * Simulates a plan; `undefined` if it has no effects that can be predicted.
 * @param live the records that the plan is about
 */
export async function predictPlan(
  { clock, signal }: ProcessEnvironment,
  plan: Pick<Plan, 'writes'>,
  live: LiveRecords,
) {
  const writes = selectPredictable(plan.writes);
  if (writes.length === 0) return undefined;
  const { predict } = await import('../../settings/plan/foresight.ts');
  return predict({ snapshot: createSnapshot(live), writes, clock, signal });
}

/**
 * Compares the live records with the predicted state after a plan, and warns about the first
 * differences.
 */
export async function checkPrediction(
  { client, signal, warn }: ConnectedCommand & OutputParts,
  plan: Pick<Plan, 'query'>,
  state: State,
): Promise<void> {
  // Only managed kinds are predicted, so that the others need not be read.
  const query = { ...plan.query, documents: [], agents: [] };
  const live = await readLive(createReadOnlyClient(await client()), query).catch(
    (error: unknown) => {
      if (signal.aborted || !(error instanceof SvcError)) throw error;
      return warn(`the result was not compared with the prediction: ${error.message}`);
    },
  );
  if (!live) return;
  const predicted = { ...collectDeclaredRecords(selectRead(state, query)), isDeclared: false };
  const changes = compareRecords(predicted, collectLiveRecords(live));
  const wrong = changes.filter(
    ({ sign, kind, id, field, before }) =>
      sign !== '?' &&
      KIND_CLASSES[kind] === 'managed' &&
      before !== 'differ' &&
      // A simulation does not have fields that svc does not know.
      (field === null || isKnownField(kind, id, field.split('.'))),
  );
  for (const { kind, id, field, before, after } of wrong.slice(0, MAX_LISTED)) {
    const values =
      field === null
        ? ''
        : `: ${field} is ${JSON.stringify(after)}, predicted ${JSON.stringify(before)}`;
    await warn(`the result differs from the prediction for ${kind} ${id}${values}`);
  }
}
