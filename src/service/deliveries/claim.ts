import { type ExpressionBuilder, sql } from 'kysely';
import { paddedKeys } from '../store/batches.ts';
import { prepared } from '../store/prepared.ts';
import { isShared, nobodyElses } from '../store/sharing.ts';
import type { Database } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';
import { type Addressed, type Destination, destinationOf } from './destination.ts';
import { type Rate, startsLeft } from './lanes.ts';
import { noteStarts, recentStarts } from './starts.ts';
import { stopLane } from './stop.ts';

/** A delivery that this process has to itself for the time of an attempt. */
export interface Claimed extends Addressed {
  readonly key: number;
  readonly id: string;
  readonly event: string;
  readonly payload: string;
  readonly tries: number;
  readonly claimedAt: number;
  readonly destination: Destination;
}

/** Milliseconds for which a claim holds: an attempt, with all that may delay it. */
export const LEASE = 30_000;

/** Who claims, from when until when: then another process may. */
export interface Claim {
  readonly owner: string;
  readonly now: number;
  readonly until: number;
}

/** A lane with something pending. */
export interface Lane extends Addressed {
  /** When the first of it is due. */
  readonly dueAt: number;
}

/** All lanes with something pending, in the order of their names. Each costs one step into an index. */
export async function pendingLanes(database: Database): Promise<readonly Lane[]> {
  if (isShared(database)) return stepThroughLanes(database);
  const lanes: Lane[] = [];
  for (let after = ''; ; ) {
    const [next] = await selectNextLane(database, { after });
    if (!next) return lanes;
    after = next.lane;
    lanes.push(next);
  }
}

const selectNextLane = prepared((database, { after }: { readonly after: string }) =>
  database
    .selectFrom('deliveries')
    .select(['lane', 'dueAt', 'apiKey', 'form'])
    .where('lane', '>', after)
    .where('dueAt', 'is not', null)
    .orderBy('lane')
    .orderBy('dueAt')
    .limit(sql.lit(1n))
    .$narrowType<{ dueAt: number }>(),
);

/** The same steps, which the database takes by itself. */
async function stepThroughLanes(database: Database): Promise<readonly Lane[]> {
  const { rows } = await sql<Lane>`
    with recursive lanes as (
      (select lane, "dueAt", "apiKey", form from deliveries where "dueAt" is not null order by lane, "dueAt" limit 1)
      union all
      select next.* from lanes, lateral (
        select lane, "dueAt", "apiKey", form from deliveries
        where "dueAt" is not null and lane > lanes.lane order by lane, "dueAt" limit 1
      ) as next
    )
    select * from lanes`.execute(database);
  return rows;
}

/** Bytes of payloads that are in memory at once, beside one that is larger. */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Claims what is due of a lane, the longest due first. A lane that nothing may be sent to any more is stopped instead.
 * @param room how many may be claimed, asked with the lane's rate limit
 */
export async function claimLane(
  database: Database,
  lane: Addressed,
  claim: Claim,
  room: (rate: Rate | undefined) => number,
): Promise<readonly Claimed[]> {
  const destination = await destinationOf(database, lane);
  if (typeof destination === 'string') {
    await stopHopeless(database, lane, claim.now);
    return [];
  }
  const rate = await rateOf(database, lane, destination, claim.now);
  const limit = room(rate);
  if (limit <= 0) return [];
  const due = await selectDue(database, { lane: lane.lane, now: claim.now, limit: BigInt(limit) });
  return takeWithin(database, { lane: lane.lane, keys: withinBudget(due), destination, rate }, claim);
}

interface Taking {
  readonly lane: string;
  readonly keys: readonly number[];
  readonly destination: Destination;
  readonly rate: Rate | undefined;
}

/** Claims deliveries of a lane, and counts them toward its rate limit. */
async function takeWithin(database: Database, taking: Taking, claim: Claim): Promise<readonly Claimed[]> {
  const { lane, keys, destination, rate } = taking;
  const claimed = keys.length === 0 ? [] : await take(database, keys, claim, destination);
  if (rate) await noteStarts(database, lane, [...rate.begun, { at: claim.now, count: claimed.length }]);
  return claimed;
}

async function rateOf(
  database: Database,
  { lane }: Addressed,
  { rateLimit }: Destination,
  now: number,
): Promise<Rate | undefined> {
  return rateLimit === undefined ? undefined : { limit: rateLimit, begun: await recentStarts(database, lane, now) };
}

/** Stops what is pending in a lane that nothing may be sent to, unless that has just changed. */
async function stopHopeless(database: Database, to: Addressed, now: number): Promise<void> {
  // What is recorded after this look may have a destination again.
  const [newest] = await selectNewest(database, { lane: to.lane });
  const reason = await destinationOf(database, to);
  if (newest && typeof reason === 'string') await stopLane(database, to.lane, reason, now, newest.key);
}

const selectNewest = prepared((database, { lane }: { readonly lane: string }) =>
  database
    .selectFrom('deliveries')
    .select('key')
    .where('lane', '=', lane)
    .where('dueAt', 'is not', null)
    .orderBy('key', 'desc')
    .limit(sql.lit(1n)),
);

/**
 * Claims deliveries by their IDs, due or not. Deliveries over the rate limit of their endpoint are left out, for a later
 * call.
 */
export async function claimByIds(
  database: Database,
  ids: readonly string[],
  claim: Claim,
): Promise<readonly Claimed[]> {
  const claimed: Claimed[] = [];
  for (const id of ids) {
    const [found] = await selectFree(database, { id, now: claim.now });
    if (!found) continue;
    const destination = await destinationOf(database, found);
    if (typeof destination === 'string') {
      await stopHopeless(database, found, claim.now);
      continue;
    }
    const rate = await rateOf(database, found, destination, claim.now);
    if (rate && startsLeft(rate) <= 0) continue;
    claimed.push(...(await takeWithin(database, { lane: found.lane, keys: [found.key], destination, rate }, claim)));
  }
  return claimed;
}

interface Due {
  readonly lane: string;
  readonly now: number;
  /** Written into the query; it has few values. */
  readonly limit: bigint;
}

const selectDue = prepared((database, { lane, now, limit }: Due) =>
  nobodyElses(
    database,
    database
      .selectFrom('deliveries')
      .select(['key', 'size'])
      .where('lane', '=', lane)
      .where('dueAt', '<=', now)
      .orderBy('dueAt')
      .orderBy('key')
      .limit(sql.lit(limit)),
  ),
);

const selectFree = prepared((database, { id, now }: { readonly id: string; readonly now: number }) =>
  database
    .selectFrom('deliveries')
    .select(['key', 'lane', 'apiKey', 'form'])
    .where('id', '=', id)
    .where('dueAt', 'is not', null)
    .where(isFree(now)),
);

/** Nobody has it, or somebody for longer than a claim holds. */
function isFree(now: number) {
  return ({ eb, or }: ExpressionBuilder<Tables, 'deliveries'>) => or([eb('owner', 'is', null), eb('dueAt', '<=', now)]);
}

function withinBudget(due: readonly { readonly key: number; readonly size: number }[]): number[] {
  const keys: number[] = [];
  let bytes = 0;
  for (const { key, size } of due) {
    bytes += size;
    if (keys.length > 0 && bytes > MOST_BYTES) break;
    keys.push(key);
  }
  return keys;
}

async function take(
  database: Database,
  keys: readonly number[],
  { owner, until, now }: Claim,
  destination: Destination,
): Promise<readonly Claimed[]> {
  const rows = await lease(database, { keys: paddedKeys(keys), owner, now, until });
  const claimed = rows.map((row) => ({ ...row, payload: row.payload ?? '', claimedAt: now, destination }));
  return claimed.sort((one, other) => one.key - other.key);
}

interface Lease {
  readonly keys: readonly number[];
  readonly owner: string;
  readonly now: number;
  readonly until: number;
}

/** Another one may have taken some since they were selected. */
const lease = prepared((database, { keys, owner, now, until }: Lease) =>
  database
    .updateTable('deliveries')
    .set({ owner, dueAt: until })
    .where('key', 'in', keys)
    .where('dueAt', 'is not', null)
    .where(isFree(now))
    .returning(['key', 'id', 'apiKey', 'form', 'lane', 'event', 'payload', 'tries']),
);

/** Gives back what a process has claimed and not brought to an outcome. */
export async function releaseClaims(database: Database, owner: string, now: number): Promise<void> {
  await database
    .updateTable('deliveries')
    .set({ owner: null, dueAt: now })
    .where('dueAt', 'is not', null)
    .where('owner', '=', owner)
    .execute();
}

/** Everyone who has claimed something. */
export async function claimOwners(database: Database): Promise<readonly string[]> {
  const rows = await database
    .selectFrom('deliveries')
    .select('owner')
    .distinct()
    .where('dueAt', 'is not', null)
    .where('owner', 'is not', null)
    .execute();
  return rows.map(({ owner }) => owner ?? '');
}
