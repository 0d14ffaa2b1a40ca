import { sql } from 'kysely';
import type { DeliveryState } from '../store/delivery-tables.ts';
import type { Database } from '../store/store.ts';

/** Deliveries that are kept after their end, the newest of each kind: what failed can be sent again. */
const KEPT = [
  { state: 'delivered', most: 10_000 },
  { state: 'failed', most: 100_000 },
] as const satisfies readonly { state: DeliveryState; most: number }[];

/** Milliseconds for which what was delivered is kept. */
const KEPT_FOR = 7 * 24 * 60 * 60 * 1_000;

/** Deletes what has been at its end for long, or too many of it. */
export async function prune(database: Database, now: number): Promise<void> {
  await database
    .deleteFrom('deliveries')
    .where('dueAt', 'is', null)
    .where('state', '=', 'delivered')
    .where('createdAt', '<', now - KEPT_FOR)
    .execute();
  for (const { state, most } of KEPT) {
    const first = await database
      .selectFrom('deliveries')
      .select('key')
      .where('dueAt', 'is', null)
      .where('state', '=', state)
      .orderBy('key', 'desc')
      .limit(sql.lit(1))
      .offset(sql.lit(most))
      .executeTakeFirst();
    if (!first) continue;
    await database
      .deleteFrom('deliveries')
      .where('dueAt', 'is', null)
      .where('state', '=', state)
      .where('key', '<=', first.key)
      .execute();
  }
}
