import { sql } from 'kysely';
import type { KeyCall } from '../call.ts';
import { prepared } from '../store/prepared.ts';
import type { Database } from '../store/store.ts';
import { attemptLine } from './attempts.ts';

/**
 * Ends what is pending in a lane, sent or not, and writes down why. What is under way ends without effect on it.
 * @param last the delivery up to which that holds; all of them when left out
 */
export async function stopLane(
  database: Database,
  lane: string,
  reason: string,
  now: number,
  last: number = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  await stop(database, { lane, last, line: attemptLine(now, null, `not sent: ${reason}`) });
}

interface Stop {
  readonly lane: string;
  readonly last: number;
  readonly line: string;
}

const stop = prepared((database, { lane, last, line }: Stop) =>
  database
    .updateTable('deliveries')
    .set(({ ref }) => ({
      state: 'failed',
      dueAt: null,
      owner: null,
      attempts: sql<string>`${ref('attempts')} || ${line}`,
    }))
    .where('lane', '=', lane)
    .where('key', '<=', last)
    .where('dueAt', 'is not', null),
);

/** As `stopLane`, for every endpoint of an API key. */
export async function stopEndpoints({ database, apiKey, now }: KeyCall, reason: string): Promise<void> {
  const endpoints = await database.selectFrom('endpoints').select('id').where('apiKey', '=', apiKey).execute();
  for (const { id } of endpoints) await stopLane(database, id, reason, now);
}
