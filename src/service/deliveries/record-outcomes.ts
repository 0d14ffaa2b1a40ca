import { sql } from 'kysely';
import type { DeliveryFailure } from '../../catalog/local/delivery.ts';
import { generateId } from '../records/secrets.ts';
import { prepareQuery } from '../store/prepared-query.ts';
import { padKeys } from '../store/statements.ts';
import type { Database } from '../store/store.ts';
import type { StoredDeliveryState } from '../store/tables.ts';
import { type AttemptOutcome, isDelivered } from './attempt-delivery.ts';
import { recordEvent } from './outbox.ts';
import { formatAttempt } from './records.ts';
import type { RetrySchedule } from './schedule.ts';
import { stopLane } from './stop.ts';
import { loadSubscriptions } from './subscriptions.ts';

export interface RecordingContext {
  readonly owner: string;
  readonly now: number;
  readonly schedule: RetrySchedule;
}

/** Records outcomes, except those of deliveries that were stopped or that another process claimed. */
export async function recordOutcomes(
  database: Database,
  outcomes: readonly AttemptOutcome[],
  context: RecordingContext,
) {
  const { owner } = context;
  for (const group of groupByUpdate(outcomes)) {
    const [first] = group;
    const update = createUpdate(first, context);
    const attempts = padKeys(group.map(createAttempt));
    const written = new Set(
      (await updateDeliveries(database, { ...update, attempts, owner })).map(({ id }) => id),
    );
    if (update.state !== 'failed') continue;
    const exhausted = group.filter(({ delivery }) => written.has(delivery.id));
    for (const outcome of exhausted) await recordExhausted(database, outcome, context.now);
  }
  await updateEndpointHealth(database, outcomes, context);
}

function groupByUpdate(
  outcomes: readonly AttemptOutcome[],
): Iterable<[AttemptOutcome, ...AttemptOutcome[]]> {
  const groups = Map.groupBy(outcomes, ({ delivery: { tries, form }, result }) =>
    [tries, form, isDelivered(result)].join(),
  );
  return groups.values() as Iterable<[AttemptOutcome, ...AttemptOutcome[]]>;
}

interface DeliveryUpdate {
  readonly state: StoredDeliveryState;
  readonly dueAt: number | null;
  readonly retryPeriod: number | null;
}

/** A line for the attempts of a delivery. */
interface RecordedAttempt {
  /** The ID, because another delivery may have the same key after a snapshot is restored. */
  readonly id: string;
  readonly line: string;
  readonly reason: DeliveryFailure | null;
}

interface OwnedUpdate extends DeliveryUpdate {
  readonly attempts: readonly RecordedAttempt[];
  readonly owner: string;
}

function createAttempt({ delivery, result }: AttemptOutcome): RecordedAttempt {
  const { id, claimedAt } = delivery;
  return { id, line: formatAttempt(claimedAt, result), reason: result.reason };
}

function createUpdate(
  { delivery, result }: AttemptOutcome,
  { schedule, now }: RecordingContext,
): DeliveryUpdate {
  const ended = { dueAt: null, retryPeriod: null };
  if (isDelivered(result)) return { ...ended, state: 'delivered' };
  const tries = delivery.tries + 1;
  // Basic webhooks are attempted only once.
  const delay = delivery.form === 'advanced' ? schedule.delayAfter(tries) : undefined;
  if (delay === undefined) return { ...ended, state: 'failed' };
  const retryPeriod = schedule.periodAfter(tries + 1);
  return { state: 'pending', dueAt: now + delay, retryPeriod };
}

const updateDeliveries = prepareQuery(
  (_, { attempts, owner, state, dueAt, retryPeriod }: OwnedUpdate) => {
    const rows = attempts.map(({ id, line, reason }) => sql`(${id}, ${line}, ${reason})`);
    return sql<{ id: string }>`
    with recorded (delivery, line, why) as (values ${sql.join(rows)})
    update deliveries set state = ${state}, "dueAt" = ${dueAt}, owner = null, tries = tries + 1,
      attempts = attempts || recorded.line, reason = recorded.why, "retryPeriod" = ${retryPeriod}
    from recorded where id = recorded.delivery and owner = ${owner} returning id`;
  },
);

export const EXHAUSTED = 'message.attempt.exhausted';

/**
 * Records an event about an exhausted delivery, except for deliveries of such events. The failing
 * endpoint gets the event only if it subscribes to the event type by name.
 */
async function recordExhausted(
  database: Database,
  { delivery, result }: AttemptOutcome,
  now: number,
): Promise<void> {
  const { id, apiKey, form, lane, event, trace, tries, claimedAt } = delivery;
  if (form !== 'advanced' || event === EXHAUSTED) return;
  const scope = { database, apiKey };
  const exhausted = {
    event: EXHAUSTED,
    webhookId: generateId(),
    apiKey,
    extra: {
      endpointId: lane,
      messageId: id,
      messageEvent: event,
      attempts: tries + 1,
      lastAttempt: { at: new Date(claimedAt).toISOString(), ...result },
    },
  };
  const subscriptions = await loadSubscriptions(scope);
  await recordEvent(scope, exhausted, {
    subscriptions,
    aboutLane: lane,
    channels: [],
    now,
    trace,
  });
}

async function updateEndpointHealth(
  database: Database,
  outcomes: readonly AttemptOutcome[],
  { now, schedule }: { readonly now: number; readonly schedule: RetrySchedule },
): Promise<void> {
  const advanced = outcomes.filter(({ delivery }) => delivery.form === 'advanced');
  // A fixed order prevents deadlocks between processes.
  const byEndpoint = [...Map.groupBy(advanced, ({ delivery }) => delivery.lane)].toSorted(
    ([one], [other]) => (one < other ? -1 : 1),
  );
  for (const [id, own] of byEndpoint) {
    if (own.some(({ result }) => isDelivered(result))) {
      await clearFailingSince(database, { id });
      continue;
    }
    await setFailingSince(database, {
      id,
      now: Math.min(...own.map(({ delivery }) => delivery.claimedAt)),
      reason: own.at(-1)?.result.reason ?? 'other',
    });
    const disabled = await disableFailing(database, {
      id,
      before: now - schedule.disableAfter,
      now,
    });
    if (disabled.length > 0)
      await stopLane(
        database,
        id,
        'the endpoint was disabled because all its attempts failed',
        now,
      );
  }
}

const clearFailingSince = prepareQuery((database, { id }: { readonly id: string }) =>
  database
    .updateTable('endpoints')
    .set({ failingSince: null })
    .where('id', '=', id)
    .where('failingSince', 'is not', null),
);

interface EndpointFailure {
  readonly id: string;
  readonly now: number;
  readonly reason: DeliveryFailure;
}

const setFailingSince = prepareQuery(
  (_, { id, now, reason }: EndpointFailure) => sql`
    update endpoints set "failingSince" = coalesce("failingSince", ${now}), "failingReason" = ${reason}
    where id = ${id} and ("failingSince" is null or coalesce("failingReason", '') <> ${reason})`,
);

const disableFailing = prepareQuery(
  (_, { id, before, now }: { id: string; before: number; now: number }) => sql<{ id: string }>`
    update endpoints set disabled = 1, "updatedAt" = ${now}
    where id = ${id} and disabled = 0 and "failingSince" <= ${before} returning id`,
);
