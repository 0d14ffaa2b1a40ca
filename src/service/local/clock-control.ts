import { sql } from 'kysely';
import type { AdvanceReport, ClockChange, ClockState } from '../../catalog/local/clock-state.ts';
import { parseDurationFlag } from '../../kernel/duration.ts';
import { SvcError } from '../../kernel/errors.ts';
import { closeAfter } from '../../kernel/resource.ts';
import { parseTimestamp } from '../../kernel/timestamp.ts';
import { type DeliveryOptions, openDeliveries } from '../deliveries/engine.ts';
import { pruneDeliveries } from '../deliveries/upkeep.ts';
import { notifyOutboxChange } from '../deliveries/wakeup.ts';
import type { Database, Store } from '../store/store.ts';
import { type ClockSetting, convertTime, createServiceClock, readSetting } from './clock.ts';
import type { AdminHandlers } from './handler.ts';
import type { DevelopmentState } from './state.ts';

export type ClockContext = Omit<AdvanceOptions, 'clock'> & {
  readonly realClock: AdvanceOptions['clock'];
};

export async function readClock({
  development,
  realClock,
}: Pick<ClockContext, 'development' | 'realClock'>): Promise<ClockState> {
  return describeClock(readSetting((await development.current()).clock), realClock.now());
}

/**
 * Changes the clock. `advance` also runs the work that becomes due, and reports it.
 * @throws SvcError `usage` for an invalid change, or without `force` if several servers use the
 * store; `locked` if another process changes the clock at the same time
 */
export async function changeClock(
  context: ClockContext,
  change: ClockChange,
): Promise<ClockState & Partial<AdvanceReport>> {
  const { store, development, realClock } = context;
  if (!change.force) await rejectOtherServers(context);
  let setting = readSetting((await development.current()).clock);
  const moveTo = async (next: ClockSetting) => {
    await development.write('clock', async (value, database) => {
      const found = readSetting(value);
      if (JSON.stringify(found) !== JSON.stringify(setting))
        throw new SvcError('locked', 'another process changed the clock at the same time', {
          hint: 'run the command again',
        });
      const realTime = realClock.now();
      await moveClaims(database, convertTime(next, realTime) - convertTime(found, realTime));
      return 'offset' in next && next.offset === 0 ? undefined : next;
    });
    setting = next;
  };
  const goal = applyChange(setting, change, realClock.now());
  const report =
    'advance' in change
      ? await advanceClock({ ...context, clock: realClock }, { from: setting, goal }, moveTo)
      : await moveTo(goal);
  await notifyOutboxChange(store);
  await development.settle();
  return { ...describeClock(goal, realClock.now()), ...report };
}

export const clock: AdminHandlers<'clock', ClockContext> = {
  'local.clock.show': readClock,
  'local.clock.advance': changeClock,
  'local.clock.set': changeClock,
  'local.clock.freeze': changeClock,
  'local.clock.run': changeClock,
  'local.clock.reset': changeClock,
};

async function rejectOtherServers({ store }: ClockContext): Promise<void> {
  const servers = (await store.peers?.count()) ?? 0;
  if (servers < 2) return;
  throw new SvcError(
    'usage',
    `${servers} servers use the store, and the change would apply to all of them`,
    {
      hint: 'add --force to change the clock of all servers',
    },
  );
}

/**
 * Moves the expiry of claims with the clock, so that attempts in flight keep their remaining time.
 */
async function moveClaims(database: Database, milliseconds: number): Promise<void> {
  const claimed = database
    .updateTable('deliveries')
    .where('owner', 'is not', null)
    .where('dueAt', 'is not', null);
  await claimed.set(({ eb }) => ({ dueAt: eb('dueAt', '+', milliseconds) })).execute();
}

function describeClock(setting: ClockSetting, realTime: number): ClockState {
  const now = convertTime(setting, realTime);
  return {
    now: new Date(now).toISOString(),
    offset: now - realTime,
    frozen: 'frozenAt' in setting,
  };
}

/** @throws SvcError `usage` for an invalid time or duration */
export function applyChange(
  setting: ClockSetting,
  change: ClockChange,
  realTime: number,
): ClockSetting {
  const now = convertTime(setting, realTime);
  if ('reset' in change) return { offset: 0 };
  if ('freeze' in change) return { frozenAt: now };
  if ('run' in change) return { offset: now - realTime };
  const time =
    'set' in change
      ? parseTime(change.set, now)
      : Math.round(now + parseDurationFlag('the time to advance', change.advance));
  if (time < 0 || time >= TIME_LIMIT)
    throw new SvcError('usage', 'the clock must be between 1970 and 2081');
  return 'frozenAt' in setting ? { frozenAt: time } : { offset: time - realTime };
}

/**
 * Upper bound on the clock. Generated message IDs start with the time, and have no digits for later
 * times.
 */
const TIME_LIMIT = Date.UTC(2081, 0);

function parseTime(text: string, now: number): number {
  const time = parseTimestamp(text, now);
  if (time) return time.seconds * 1_000;
  throw new SvcError(
    'usage',
    `the time must be a timestamp such as 2027-01-01T00:00:00Z, got '${text}'`,
  );
}

interface AdvanceOptions extends Omit<DeliveryOptions, 'time'> {
  readonly store: Store;
  readonly development: DevelopmentState;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Moves the clock from `from` to `goal` in steps. Each step moves to the next due time and runs the
 * work that is due. Does not wait for deliveries that are added after the start.
 * @param moveTo saves a new setting of the clock
 */
async function advanceClock(
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
