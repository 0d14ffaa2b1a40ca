import { prepared } from '../store/prepared.ts';
import type { Database } from '../store/store.ts';

/** Attempts that were begun at one moment. */
export interface Start {
  readonly at: number;
  readonly count: number;
}

/**
 * Milliseconds in which a rate limit is not exceeded. A second, and what the way to a receiver may take more or less:
 * it counts what arrives.
 */
export const RATE_WINDOW = 1_050;

/** What all who deliver have begun for an endpoint within the window, oldest first; until the end of the transaction nobody else begins anything. */
export async function recentStarts(database: Database, endpointId: string, now: number): Promise<readonly Start[]> {
  // Written as it is, because a row that is written is one's own, whatever the database.
  const [found] = await hold(database, { endpointId });
  const starts: readonly Start[] = JSON.parse(found?.begun ?? '[]');
  // What lies in the future was begun before the clock was set back; those of other machines may differ a little.
  return starts.filter(({ at }) => Math.abs(now - at) < RATE_WINDOW);
}

const hold = prepared((database, { endpointId }: { readonly endpointId: string }) =>
  database
    .updateTable('endpoints')
    .set(({ ref }) => ({ begun: ref('begun') }))
    .where('id', '=', endpointId)
    .returning('begun'),
);

export async function noteStarts(database: Database, endpointId: string, starts: readonly Start[]): Promise<void> {
  await write(database, { endpointId, begun: JSON.stringify(starts) });
}

const write = prepared((database, { endpointId, begun }: { readonly endpointId: string; readonly begun: string }) =>
  database.updateTable('endpoints').set({ begun }).where('id', '=', endpointId),
);
