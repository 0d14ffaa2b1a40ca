import { sql } from 'kysely';
import type { AdvanceReport } from '../../catalog/local/clock-state.ts';
import { closeAfter } from '../../kernel/resource.ts';
import { type DeliveryOptions, openDeliveries } from '../deliveries/engine.ts';
import { pruneDeliveries } from '../deliveries/upkeep.ts';
import type { Database, Store } from '../store/store.ts';
import { type ClockSetting, convertTime, createServiceClock } from './clock.ts';
import type { DevelopmentState } from './state.ts';

export interface AdvanceOptions extends Omit<DeliveryOptions, 'time'> {
  readonly store: Store;
  readonly development: DevelopmentState;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Moves the clock from `from` to `goal` in steps. Each step moves to the next due time and runs the
 * work that is due. Does not wait for deliveries that are added after the start.
 * @param moveTo saves a new setting of the clock
 */
export async function advanceClock(
  options: AdvanceOptions,
  { from, goal }: { readonly from: ClockSetting; readonly goal: ClockSetting },
  moveTo: (setting: ClockSetting) => Promise<void>,
): Promise<AdvanceReport> {
  const { store, clock } = options;
  const start = convertTime(from, clock.now());
  const before = await store.read((database) => countOutcomes(database));
  if (before.firstPending !== undefined)
    await deliverUntil(options, goal, { newest: before.newest, moveTo });
  await moveTo(goal);
  const end = convertTime(goal, clock.now());
  const after = await store.read((database) => countOutcomes(database, before.firstPending));
  await store.writeRelaxed((database) => pruneDeliveries(database, end));
  return {
    attempts: after.attempts - before.attempts,
    endpointsDisabled: after.endpointsDisabled - before.endpointsDisabled,
    ...(await store.read((database) => countExpired(database, start, end))),
  };
}

async function deliverUntil(
  { signal, ...options }: AdvanceOptions,
  goal: ClockSetting,
  {
    newest,
    moveTo,
  }: {
    readonly newest: number;
    readonly moveTo: (setting: ClockSetting) => Promise<void>;
  },
): Promise<void> {
  const { store, clock, development } = options;
  const time = createServiceClock(clock, development);
  await closeAfter(await openDeliveries(store, { ...options, time }), async (deliveries) => {
    for (;;) {
      const next = Math.ceil(await deliveries.deliverDue(newest, signal));
      const realTime = clock.now();
      if (next > convertTime(goal, realTime)) return;
      // A delivery may have become due in the meantime.
      if (next <= time.now()) continue;
      await moveTo('frozenAt' in goal ? { frozenAt: next } : { offset: next - realTime });
    }
  });
}

const NOT_SENT = '"error":"not sent: ';

/**
 * Counts disabled endpoints, and attempts of deliveries from a key on (default: from the first
 * pending delivery).
 */
async function countOutcomes(database: Database, from?: number) {
  const first = database
    .selectFrom('deliveries')
    .select('key')
    .where('dueAt', 'is not', null)
    .orderBy('key')
    .limit(1);
  const firstPending = from ?? (await first.executeTakeFirst())?.key;
  const newest = database.selectFrom('deliveries').select('key').orderBy('key', 'desc').limit(1);
  const lines = sql<number | null>`sum(length(attempts) - length(replace(attempts, ${'\n'}, '')))`;
  const notSent = sql<
    number | null
  >`sum(length(attempts) - length(replace(attempts, ${NOT_SENT}, '')))`;
  const counted = await database
    .selectFrom('deliveries')
    .select([lines.as('lines'), notSent.as('notSent')])
    .where('key', '>=', firstPending ?? Number.MAX_SAFE_INTEGER)
    .executeTakeFirst();
  const disabled = database
    .selectFrom('endpoints')
    .select(({ fn }) => fn.countAll<number>().as('count'));
  return {
    firstPending,
    newest: (await newest.executeTakeFirst())?.key ?? 0,
    attempts: (counted?.lines ?? 0) - (counted?.notSent ?? 0) / NOT_SENT.length,
    endpointsDisabled: (await disabled.where('disabled', '=', 1).executeTakeFirstOrThrow()).count,
  };
}

async function countExpired(database: Database, after: number, until: number) {
  const tokens = database
    .selectFrom('issuedTokens')
    .select(({ fn }) => fn.sum<number | null>('count').as('count'));
  const members = database
    .selectFrom('members')
    .select(({ fn }) => fn.countAll<number>().as('count'));
  const [issued, granted] = [
    await tokens
      .where('expiresAt', '>', after)
      .where('expiresAt', '<=', until)
      .executeTakeFirstOrThrow(),
    await members
      .where('expiresAt', '>', after)
      .where('expiresAt', '<=', until)
      .executeTakeFirstOrThrow(),
  ];
  return { tokensExpired: Number(issued.count ?? 0), permissionsExpired: granted.count };
}
