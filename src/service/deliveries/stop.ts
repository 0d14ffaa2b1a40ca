import { sql } from 'kysely';
import type { KeyCall } from '../calls/call.ts';
import { prepareQuery } from '../store/prepared-query.ts';
import type { Database } from '../store/store.ts';
import { formatAttempt } from './records.ts';

/** Condition of a delivery that no process attempts. */
export const isClaimable = (now: number) => sql`(owner is null or "dueAt" <= ${now})`;

/**
 * Stops pending deliveries. An attempt in flight ends normally, and is not repeated if it fails,
 * because the lane has no destination.
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
    now,
    line: formatAttempt(now, {
      status: null,
      error: `not sent: ${reason}`,
      reason: 'stopped',
      milliseconds: null,
      body: null,
    }),
  });
}

interface Stop {
  readonly lane: string;
  readonly last: number;
  readonly now: number;
  readonly line: string;
}

const failPending = prepareQuery(
  (_, { lane, last, now, line }: Stop) => sql`
    update deliveries set state = 'failed', "dueAt" = null, owner = null, reason = 'stopped', attempts = attempts || ${line}
    where lane = ${lane} and key <= ${last} and "dueAt" is not null and ${isClaimable(now)}`,
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
