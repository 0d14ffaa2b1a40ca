import { prepared } from '../store/prepared.ts';
import type { Database } from '../store/store.ts';
import { isDelivered, type Outcome } from './outcome.ts';
import type { Schedule } from './schedule.ts';
import { stopLane } from './stop.ts';

interface Moment {
  readonly now: number;
  readonly schedule: Schedule;
}

/** Keeps since when an endpoint has answered nothing with success, and disables one that has not for too long. */
export async function noteHealth(
  database: Database,
  outcomes: readonly Outcome[],
  { now, schedule }: Moment,
): Promise<void> {
  const advanced = outcomes.filter(({ delivery }) => delivery.form === 'advanced');
  // In one order, or two who deliver could wait for each other.
  const byEndpoint = [...Map.groupBy(advanced, ({ delivery }) => delivery.lane)].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  );
  for (const [id, own] of byEndpoint) {
    if (own.some(({ answer }) => isDelivered(answer))) {
      await recover(database, { id });
      continue;
    }
    await startFailing(database, { id, now: Math.min(...own.map(({ delivery }) => delivery.claimedAt)) });
    const disabled = await disable(database, { id, before: now - schedule.failingLimit, now });
    if (disabled.length > 0) await stopLane(database, id, 'the endpoint was disabled, as all its attempts failed', now);
  }
}

const recover = prepared((database, { id }: { readonly id: string }) =>
  database
    .updateTable('endpoints')
    .set({ failingSince: null })
    .where('id', '=', id)
    .where('failingSince', 'is not', null),
);

const startFailing = prepared((database, { id, now }: { readonly id: string; readonly now: number }) =>
  database.updateTable('endpoints').set({ failingSince: now }).where('id', '=', id).where('failingSince', 'is', null),
);

interface Disabling {
  readonly id: string;
  readonly before: number;
  readonly now: number;
}

const disable = prepared((database, { id, before, now }: Disabling) =>
  database
    .updateTable('endpoints')
    .set({ disabled: 1, updatedAt: now })
    .where('id', '=', id)
    .where('disabled', '=', 0)
    .where('failingSince', '<=', before)
    .returning('id'),
);
