import { sql } from 'kysely';
import { prepareQuery } from '../store/prepared-query.ts';
import { prepareUpdate } from '../store/statements.ts';
import type { Database } from '../store/store.ts';

export interface StartCount {
  readonly at: number;
  readonly count: number;
}

/**
 * Length of the rate limit window, in milliseconds: one second and a margin for varying network
 * delays.
 */
export const RATE_WINDOW = 1_050;

/**
 * Returns the recent attempts of all processes for an endpoint, oldest first. Locks the endpoint
 * until the transaction ends, so other processes cannot start attempts.
 */
export async function lockRecentStarts(
  database: Database,
  endpointId: string,
  now: number,
): Promise<readonly StartCount[]> {
  // An update that keeps the value locks the row in every database.
  const [found] = await lockStarts(database, { endpointId });
  const starts: readonly StartCount[] = JSON.parse(found?.begun ?? '[]');
  // Starts in the distant future are from before a clock change. Clocks of machines differ only
  // slightly.
  return starts.filter(({ at }) => Math.abs(now - at) < RATE_WINDOW);
}

const lockStarts = prepareQuery(
  (_, { endpointId }: { readonly endpointId: string }) =>
    sql<{
      begun: string | null;
    }>`update endpoints set begun = begun where id = ${endpointId} returning begun`,
);

export async function saveStarts(
  database: Database,
  endpointId: string,
  starts: readonly StartCount[],
): Promise<void> {
  await updateEndpoints(database, {
    set: { begun: JSON.stringify(starts) },
    where: { id: endpointId },
  });
}

const updateEndpoints = prepareUpdate('endpoints');
