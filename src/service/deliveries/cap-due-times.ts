import type { Database } from '../store/store.ts';
import { CLAIM_DURATION } from './claim.ts';
import type { RetrySchedule } from './schedule.ts';

/** Caps due times after the clock was set back. Otherwise, deliveries would wait until it catches up. */
export async function capDueTimes(database: Database, schedule: RetrySchedule, now: number): Promise<void> {
  await capDueTime(database, { latest: now + CLAIM_DURATION, isClaimed: true });
  for (let tries = 0, delay: number | undefined = 0; delay !== undefined; delay = schedule.delayAfter(tries)) {
    await capDueTime(database, { latest: now + delay, isClaimed: false, tries });
    tries += 1;
  }
}

async function capDueTime(
  database: Database,
  { latest, isClaimed, tries }: { readonly latest: number; readonly isClaimed: boolean; readonly tries?: number },
): Promise<void> {
  await database
    .updateTable('deliveries')
    .set({ dueAt: latest })
    .where('dueAt', '>', latest)
    .where('owner', isClaimed ? 'is not' : 'is', null)
    .$if(tries !== undefined, (query) => query.where('tries', '=', tries ?? 0))
    .execute();
}
