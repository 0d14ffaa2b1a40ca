import { createReadOnlyClient } from '../../client/read-only.ts';
import { SvcError } from '../../kernel/errors.ts';
import { collectDeclaredRecords, collectLiveRecords, compareRecords } from '../../settings/compare.ts';
import { predict } from '../../settings/foresight.ts';
import { KIND_CLASSES } from '../../settings/kinds.ts';
import { readLive } from '../../settings/live/read-live.ts';
import { createSnapshot, selectPredictable } from '../../settings/live/snapshot.ts';
import type { Plan } from '../../settings/plan.ts';
import type { Context } from '../context.ts';

const MAX_LISTED = 5;

/**
 * Predicts the state after a plan.
 * @returns a function that compares the live records with the prediction, and warns about the first differences
 */
export async function predictResult(context: Context, plan: Pick<Plan, 'query' | 'writes'>): Promise<() => Promise<void>> {
  const { clock, signal } = context;
  const writes = selectPredictable(plan.writes);
  if (writes.length === 0) return async () => undefined;
  // Only managed kinds are predicted, so that the others need not be read.
  const query = { ...plan.query, documents: [], agents: [] };
  const read = async () => readLive(createReadOnlyClient(await context.client()), query);
  const { state } = await predict({ snapshot: createSnapshot(await read()), writes, clock, signal });
  const predicted = { ...collectDeclaredRecords(state), isDeclared: false };
  return async () => {
    const live = await read().catch((error: unknown) => {
      if (signal.aborted || !(error instanceof SvcError)) throw error;
      return context.warn(`the result was not compared with the prediction: ${error.message}`);
    });
    if (!live) return;
    const changes = compareRecords(predicted, collectLiveRecords(live));
    const wrong = changes.filter(({ kind, before }) => KIND_CLASSES[kind] === 'managed' && before !== 'differ');
    for (const { kind, id, field, before, after } of wrong.slice(0, MAX_LISTED)) {
      const values = field === null ? '' : `: ${field} is ${JSON.stringify(after)}, predicted ${JSON.stringify(before)}`;
      await context.warn(`the result differs from the prediction for ${kind} ${id}${values}`);
    }
  };
}
