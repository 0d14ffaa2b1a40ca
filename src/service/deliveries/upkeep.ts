import { sql } from 'kysely';
import type { Database } from '../store/store.ts';
import type { StoredDeliveryState } from '../store/tables.ts';
import { CLAIM_DURATION } from './claim.ts';
import type { RetrySchedule } from './schedule.ts';

/**
 * Maximum number of finished deliveries in each state. Failed deliveries can be retried, so more of
 * them are kept.
 */
const RETENTION_LIMITS = [
  { state: 'delivered', max: 10_000 },
  { state: 'failed', max: 100_000 },
] as const satisfies readonly { state: StoredDeliveryState; max: number }[];

const RETENTION_PERIOD = 7 * 24 * 60 * 60 * 1_000;

export async function pruneDeliveries(database: Database, now: number): Promise<void> {
  const ended = database.deleteFrom('deliveries').where('dueAt', 'is', null);
  await ended
    .where('state', '=', 'delivered')
    .where('createdAt', '<', now - RETENTION_PERIOD)
    .execute();
  for (const { state, max } of RETENTION_LIMITS) {
    const newest = database
      .selectFrom('deliveries')
      .select('key')
      .where('dueAt', 'is', null)
      .where('state', '=', state);
    const excess = newest.orderBy('key', 'desc').limit(sql.lit(1)).offset(sql.lit(max));
    const first = await excess.executeTakeFirst();
    if (first) await ended.where('state', '=', state).where('key', '<=', first.key).execute();
  }
}

/**
 * Caps due times after the clock was set back. Otherwise, deliveries would wait until it catches
 * up.
 */
export async function capDueTimes(
  database: Database,
  schedule: RetrySchedule,
  now: number,
): Promise<void> {
  const capped = (latest: number) =>
    database.updateTable('deliveries').set({ dueAt: latest }).where('dueAt', '>', latest);
  await capped(now + CLAIM_DURATION)
    .where('owner', 'is not', null)
    .execute();
  for (
    let tries = 0, delay: number | undefined = 0;
    delay !== undefined;
    delay = schedule.delayAfter(tries)
  ) {
    await capped(now + delay)
      .where('owner', 'is', null)
      .where('tries', '=', tries)
      .execute();
    tries += 1;
  }
  await database
    .updateTable('endpoints')
    .set({ failingSince: now })
    .where('failingSince', '>', now)
    .execute();
}
