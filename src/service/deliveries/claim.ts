import { type Selectable, sql } from 'kysely';
import { prepareQuery } from '../store/prepared-query.ts';
import { hasConcurrentWriters, skipLocked } from '../store/sharing.ts';
import { padKeys } from '../store/statements.ts';
import type { Database } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';
import { type DeliveryDestination, type LaneRef, resolveDestination } from './destination.ts';
import { type EndpointRate, remainingStarts } from './lanes.ts';
import { lockRecentStarts, saveStarts } from './starts.ts';
import { isClaimable, stopLane } from './stop.ts';

export interface ClaimedDelivery extends LaneRef {
  readonly key: number;
  readonly id: string;
  readonly event: string;
  readonly payload: string;
  readonly trace: string | null;
  readonly tries: number;
  readonly claimedAt: number;
  readonly destination: DeliveryDestination;
}

/** Duration of a claim, in milliseconds. Longer than any attempt, including delays. */
export const CLAIM_DURATION = 30_000;

/** The owner and the duration of a claim. After `until`, another process may claim the delivery. */
export interface Claim {
  readonly owner: string;
  readonly now: number;
  readonly until: number;
}

/** A lane, with its pending delivery that is due first. */
export interface PendingLane extends LaneRef {
  readonly dueAt: number;
  readonly key: number;
  readonly event: string;
}

/** Selects all lanes with pending deliveries, by name. Each lane costs an index lookup. */
export async function selectPendingLanes(database: Database): Promise<readonly PendingLane[]> {
  if (hasConcurrentWriters(database)) return selectLanesRecursively(database);
  const lanes: PendingLane[] = [];
  for (let after = ''; ; ) {
    const [next] = await selectNextLane(database, { after });
    if (!next) return lanes;
    after = next.lane;
    lanes.push(next);
  }
}

const selectNextLane = prepareQuery(
  (_, { after }: { readonly after: string }) => sql<PendingLane>`
    select lane, "dueAt", key, event, "apiKey", form from deliveries
    where lane > ${after} and "dueAt" is not null order by lane, "dueAt", key limit 1`,
);

/** Selects all lanes with one recursive query, which also makes one index lookup per lane. */
async function selectLanesRecursively(database: Database): Promise<readonly PendingLane[]> {
  const { rows } = await sql<PendingLane>`
    with recursive lanes as (
      (
        select lane, "dueAt", key, event, "apiKey", form from deliveries
        where "dueAt" is not null order by lane, "dueAt", key limit 1
      )
      union all
      select next.* from lanes, lateral (
        select lane, "dueAt", key, event, "apiKey", form from deliveries
        where "dueAt" is not null and lane > lanes.lane order by lane, "dueAt", key limit 1
      ) as next
    )
    select * from lanes`.execute(database);
  return rows;
}

/**
 * Selects the time of the first pending delivery of each lane, up to the key `newest` or of the
 * given event.
 */
export const selectNextDue = prepareQuery(
  (_, { newest, event }: { readonly newest: number; readonly event: string }) =>
    sql<Pick<PendingLane, 'lane' | 'dueAt'>>`
    select lane, min("dueAt") as "dueAt" from deliveries
    where "dueAt" is not null and (key <= ${newest} or event = ${event}) group by lane`,
);

/** Maximum size of all payloads in a claim, in bytes. A larger payload is claimed alone. */
const MAX_CLAIMED_BYTES = 16 * 1024 * 1024;

/**
 * Claims due deliveries, oldest due time first, and counts them for the rate limit. If the lane has
 * no destination, stops its deliveries.
 * @param only key of the delivery to claim, even if it is not due
 */
export async function claimLane(
  database: Database,
  lane: LaneRef,
  claim: Claim,
  capacityFor: (rate: EndpointRate | undefined) => number,
  only?: number,
): Promise<readonly ClaimedDelivery[]> {
  const destination = await resolveDestination(database, lane);
  const { now } = claim;
  if (typeof destination === 'string') {
    await stopUndeliverable(database, lane, now);
    return [];
  }
  const { rateLimit } = destination;
  const rate =
    rateLimit === undefined
      ? undefined
      : { limit: rateLimit, recentStarts: await lockRecentStarts(database, lane.lane, now) };
  const limit = capacityFor(rate);
  if (limit <= 0) return [];
  const keys =
    only === undefined
      ? limitBytes(await selectDue(database, { lane: lane.lane, now, limit }))
      : [only];
  const rows =
    keys.length === 0 ? [] : await updateClaimed(database, { keys: padKeys(keys), ...claim });
  if (rate)
    await saveStarts(database, lane.lane, [...rate.recentStarts, { at: now, count: rows.length }]);
  const claimed = rows.map((row) => ({
    ...row,
    payload: row.payload ?? '',
    claimedAt: now,
    destination,
  }));
  return claimed.sort((one, other) => one.key - other.key);
}

async function stopUndeliverable(database: Database, lane: LaneRef, now: number): Promise<void> {
  // Does not stop later deliveries, because the destination may be restored before they are
  // recorded.
  const [newest] = await selectNewest(database, { lane: lane.lane });
  const reason = await resolveDestination(database, lane);
  if (newest && typeof reason === 'string')
    await stopLane(database, lane.lane, reason, now, newest.key);
}

const selectNewest = prepareQuery(
  (_, { lane }: { readonly lane: string }) => sql<{ key: number }>`
    select key from deliveries where lane = ${lane} and "dueAt" is not null order by key desc limit 1`,
);

/**
 * Claims deliveries by ID, even if they are not due. Skips deliveries that exceed the rate limit of
 * their endpoint.
 */
export async function claimByIds(
  database: Database,
  ids: readonly string[],
  claim: Claim,
): Promise<readonly ClaimedDelivery[]> {
  const claimed: ClaimedDelivery[] = [];
  for (const id of ids) {
    const [found] = await selectClaimable(database, { id, now: claim.now });
    if (!found) continue;
    const capacityFor = (rate: EndpointRate | undefined) => (rate ? remainingStarts(rate) : 1);
    claimed.push(...(await claimLane(database, found, claim, capacityFor, found.key)));
  }
  return claimed;
}

interface DueQuery {
  readonly lane: string;
  readonly now: number;
  readonly limit: number;
}

const selectDue = prepareQuery((database, { lane, now, limit }: DueQuery) =>
  skipLocked(
    database,
    database
      .selectFrom('deliveries')
      .select(['key', 'size'])
      .where('lane', '=', lane)
      .where('dueAt', '<=', now)
      .orderBy('dueAt')
      .orderBy('key')
      .limit(limit),
  ),
);

const selectClaimable = prepareQuery(
  (_, { id, now }: { readonly id: string; readonly now: number }) => sql<LaneRef & { key: number }>`
    select key, lane, "apiKey", form from deliveries where id = ${id} and "dueAt" is not null and ${isClaimable(now)}`,
);

function limitBytes(due: readonly { readonly key: number; readonly size: number }[]): number[] {
  const keys: number[] = [];
  let bytes = 0;
  for (const { key, size } of due) {
    bytes += size;
    if (keys.length > 0 && bytes > MAX_CLAIMED_BYTES) break;
    keys.push(key);
  }
  return keys;
}

type ClaimedRow = Pick<
  Selectable<Tables['deliveries']>,
  keyof LaneRef | 'key' | 'id' | 'event' | 'payload' | 'trace' | 'tries'
>;

const updateClaimed = prepareQuery(
  (_, { keys, owner, now, until }: Claim & { keys: readonly number[] }) => sql<ClaimedRow>`
    update deliveries set owner = ${owner}, "dueAt" = ${until}
    where key in (${sql.join(keys)}) and "dueAt" is not null and ${isClaimable(now)}
    returning key, id, "apiKey", form, lane, event, payload, trace, tries`,
);

export async function releaseClaims(database: Database, owner: string, now: number): Promise<void> {
  await sql`update deliveries set owner = null, "dueAt" = ${now} where "dueAt" is not null and owner = ${owner}`.execute(
    database,
  );
}

/** Releases the claims of an owner on deliveries that were not attempted. */
export async function returnClaims(
  database: Database,
  deliveries: readonly ClaimedDelivery[],
  owner: string,
  now: number,
): Promise<void> {
  if (deliveries.length === 0) return;
  await updateReturned(database, { ids: padKeys(deliveries.map(({ id }) => id)), owner, now });
}

const updateReturned = prepareQuery(
  (_, { ids, owner, now }: { ids: readonly string[]; owner: string; now: number }) => sql`
    update deliveries set owner = null, "dueAt" = ${now}
    where id in (${sql.join(ids)}) and "dueAt" is not null and owner = ${owner}`,
);

/** @param newest key of the last delivery to consider (default: all) */
export async function selectClaimOwners(
  database: Database,
  newest = Number.MAX_SAFE_INTEGER,
): Promise<readonly string[]> {
  const owners = sql<{ owner: string }>`
    select distinct owner from deliveries
    where "dueAt" is not null and owner is not null and key <= ${newest}`;
  return (await owners.execute(database)).rows.map(({ owner }) => owner);
}
