import { sql } from 'kysely';
import { paddedKeys } from '../store/batches.ts';
import type { DeliveryState } from '../store/delivery-tables.ts';
import { prepared } from '../store/prepared.ts';
import type { Database } from '../store/store.ts';
import { attemptLine } from './attempts.ts';
import { noticeExhausted } from './exhausted.ts';
import { noteHealth } from './health.ts';
import { isDelivered, type Outcome } from './outcome.ts';
import type { Schedule } from './schedule.ts';

export interface Settling {
  readonly owner: string;
  readonly now: number;
  readonly schedule: Schedule;
}

/**
 * Writes down how attempts went, and what follows: the next attempt, or after the last one the end. What was stopped or
 * taken over meanwhile stays as it is.
 */
export async function settle(database: Database, outcomes: readonly Outcome[], settling: Settling): Promise<void> {
  const { owner } = settling;
  const changes = outcomes.map((outcome) => ({ outcome, ...changeFor(outcome, settling) }));
  // What was claimed together and went the same way is one statement.
  for (const [first, ...others] of Map.groupBy(changes, ({ line, dueAt }) => `${line}${dueAt}`).values()) {
    if (!first) continue;
    const same = new Map([first, ...others].map(({ outcome }) => [outcome.delivery.key, outcome]));
    const { line, state, dueAt } = first;
    const shape = { keys: paddedKeys([...same.keys()]), owner, line, state, dueAt, isDelivered: state === 'delivered' };
    const written = await write(database, shape);
    const exhausted = state === 'failed' ? written.map(({ key }) => same.get(key)) : [];
    for (const outcome of exhausted) if (outcome) await noticeExhausted(database, outcome, settling.now);
  }
  await noteHealth(database, outcomes, settling);
}

interface Change {
  readonly line: string;
  readonly state: DeliveryState;
  readonly dueAt: number | null;
}

function changeFor({ delivery, answer }: Outcome, { schedule, now }: Settling): Change {
  const line = attemptLine(delivery.claimedAt, answer.status, answer.error);
  if (isDelivered(answer)) return { line, state: 'delivered', dueAt: null };
  // Basic webhooks are sent once.
  const delay = delivery.form === 'advanced' ? schedule.delayAfter(delivery.tries + 1) : undefined;
  return delay === undefined ? { line, state: 'failed', dueAt: null } : { line, state: 'pending', dueAt: now + delay };
}

interface Written extends Change {
  readonly keys: readonly number[];
  readonly owner: string;
  readonly isDelivered: boolean;
}

const write = prepared((database, { keys, owner, line, state, dueAt, isDelivered }: Written) =>
  database
    .updateTable('deliveries')
    .set(({ ref, eb }) => ({
      ...{ state, dueAt, owner: null },
      ...(isDelivered && { payload: null }),
      tries: eb('tries', '+', 1),
      attempts: sql<string>`${ref('attempts')} || ${line}`,
    }))
    .where('key', 'in', keys)
    .where('owner', '=', owner)
    .returning('key'),
);
