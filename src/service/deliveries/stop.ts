import { sql } from 'kysely';
import type { KeyCall } from '../calls/call.ts';
import { prepareQuery } from '../store/prepared-query.ts';
import type { Database } from '../store/store.ts';
import { formatAttempt } from './attempts.ts';

/**
 * Ignores the results of attempts in flight.
 * @param last key of the last delivery to stop (default: all)
 */
export async function stopLane(
  database: Database,
  lane: string,
  reason: string,
  now: number,
  last: number = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  await failPending(database, {
    lane,
    last,
    line: formatAttempt(now, null, `not sent: ${reason}`),
  });
}

const failPending = prepareQuery(
  (_, { lane, last, line }: { lane: string; last: number; line: string }) => sql`
    update deliveries set state = 'failed', "dueAt" = null, owner = null, attempts = attempts || ${line}
    where lane = ${lane} and key <= ${last} and "dueAt" is not null`,
);

export async function stopEndpointDeliveries(
  { database, apiKey, now }: KeyCall,
  reason: string,
): Promise<void> {
  const endpoints = await database
    .selectFrom('endpoints')
    .select('id')
    .where('apiKey', '=', apiKey)
    .execute();
  for (const { id } of endpoints) await stopLane(database, id, reason, now);
}
