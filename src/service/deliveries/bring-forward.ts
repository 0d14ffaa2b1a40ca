import type { Database } from '../store/store.ts';
import { LEASE } from './claim.ts';
import type { Schedule } from './schedule.ts';

/**
 * Makes nothing wait longer than the schedule says: what is due later than that was scheduled before the clock was set
 * back, and would be forgotten until the clock is there again.
 */
export async function bringForward(database: Database, schedule: Schedule, now: number): Promise<void> {
  await hasten(database, { now: now + LEASE, isClaimed: true });
  for (let tries = 0, delay: number | undefined = 0; delay !== undefined; delay = schedule.delayAfter(tries)) {
    await hasten(database, { now: now + delay, isClaimed: false, tries });
    tries += 1;
  }
}

interface Late {
  /** When the deliveries are due at the latest. */
  readonly now: number;
  readonly isClaimed: boolean;
  readonly tries?: number;
}

async function hasten(database: Database, { now, isClaimed, tries }: Late): Promise<void> {
  await database
    .updateTable('deliveries')
    .set({ dueAt: now })
    .where('dueAt', '>', now)
    .where('owner', isClaimed ? 'is not' : 'is', null)
    .$if(tries !== undefined, (query) => query.where('tries', '=', tries ?? 0))
    .execute();
}
