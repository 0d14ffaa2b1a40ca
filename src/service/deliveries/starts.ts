import { prepareQuery } from '../store/prepared-query.ts';
import type { Database } from '../store/store.ts';

/** Attempts that started at one moment. */
export interface StartCount {
  readonly at: number;
  readonly count: number;
}

/**
 * Length of the rate-limit window, in milliseconds: one second, plus a margin because receivers count arrivals, and
 * network delays vary.
 */
export const RATE_WINDOW = 1_050;

/**
 * Returns the attempts that all processes started for an endpoint within the window, oldest first. Locks the endpoint:
 * until the transaction ends, no other process starts attempts for it.
 */
export async function lockRecentStarts(
  database: Database,
  endpointId: string,
  now: number,
): Promise<readonly StartCount[]> {
  // The update writes the same value back: on every database, this locks the row.
  const [found] = await lockStarts(database, { endpointId });
  const starts: readonly StartCount[] = JSON.parse(found?.begun ?? '[]');
  // Starts far in the future precede a clock change. Clocks of other machines may differ a little.
  return starts.filter(({ at }) => Math.abs(now - at) < RATE_WINDOW);
}

const lockStarts = prepareQuery((database, { endpointId }: { readonly endpointId: string }) =>
  database
    .updateTable('endpoints')
    .set(({ ref }) => ({ begun: ref('begun') }))
    .where('id', '=', endpointId)
    .returning('begun'),
);

export async function saveStarts(database: Database, endpointId: string, starts: readonly StartCount[]): Promise<void> {
  await updateStarts(database, { endpointId, begun: JSON.stringify(starts) });
}

const updateStarts = prepareQuery((database, { endpointId, begun }: { endpointId: string; begun: string }) =>
  database.updateTable('endpoints').set({ begun }).where('id', '=', endpointId),
);
