import { prepareQuery } from '../store/prepared-query.ts';
import type { Database } from '../store/store.ts';
import { type AttemptOutcome, isDelivered } from './outcome.ts';
import type { RetrySchedule } from './schedule.ts';
import { stopLane } from './stop.ts';

/** Tracks how long endpoints have been failing, and disables endpoints that have been failing for too long. */
export async function updateEndpointHealth(
  database: Database,
  outcomes: readonly AttemptOutcome[],
  { now, schedule }: { readonly now: number; readonly schedule: RetrySchedule },
): Promise<void> {
  const advanced = outcomes.filter(({ delivery }) => delivery.form === 'advanced');
  // A fixed order prevents deadlocks between processes.
  const byEndpoint = [...Map.groupBy(advanced, ({ delivery }) => delivery.lane)].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  );
  for (const [id, own] of byEndpoint) {
    if (own.some(({ result }) => isDelivered(result))) {
      await clearFailingSince(database, { id });
      continue;
    }
    await setFailingSince(database, { id, now: Math.min(...own.map(({ delivery }) => delivery.claimedAt)) });
    const disabled = await disableFailing(database, { id, before: now - schedule.disableAfter, now });
    if (disabled.length > 0)
      await stopLane(database, id, 'the endpoint was disabled because all its attempts failed', now);
  }
}

const clearFailingSince = prepareQuery((database, { id }: { readonly id: string }) =>
  database
    .updateTable('endpoints')
    .set({ failingSince: null })
    .where('id', '=', id)
    .where('failingSince', 'is not', null),
);

const setFailingSince = prepareQuery((database, { id, now }: { readonly id: string; readonly now: number }) =>
  database.updateTable('endpoints').set({ failingSince: now }).where('id', '=', id).where('failingSince', 'is', null),
);

const disableFailing = prepareQuery((database, { id, before, now }: { id: string; before: number; now: number }) =>
  database
    .updateTable('endpoints')
    .set({ disabled: 1, updatedAt: now })
    .where('id', '=', id)
    .where('disabled', '=', 0)
    .where('failingSince', '<=', before)
    .returning('id'),
);
