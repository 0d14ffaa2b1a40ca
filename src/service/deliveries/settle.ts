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
  for (const same of alike(outcomes)) {
    const [first] = same;
    const change = changeFor(first, settling);
    const keys = paddedKeys(same.map(({ delivery }) => delivery.key));
    const written = new Set((await write(database, { ...change, keys, owner })).map(({ key }) => key));
    if (change.state !== 'failed') continue;
    const exhausted = same.filter(({ delivery }) => written.has(delivery.key));
    for (const outcome of exhausted) await noticeExhausted(database, outcome, settling.now);
  }
  await noteHealth(database, outcomes, settling);
}

/** Outcomes by what is written of them: what was claimed together and went the same way is one statement. */
function alike(outcomes: readonly Outcome[]): Iterable<[Outcome, ...Outcome[]]> {
  const groups = Map.groupBy(outcomes, ({ delivery: { claimedAt, tries, form }, answer: { status, error } }) =>
    [claimedAt, tries, form, status, error].join(),
  );
  return groups.values() as Iterable<[Outcome, ...Outcome[]]>;
}

interface Change {
  readonly line: string;
  readonly state: DeliveryState;
  readonly dueAt: number | null;
  /** Nobody asks for its payload any more. */
  readonly isOver: boolean;
}

function changeFor({ delivery, answer }: Outcome, { schedule, now }: Settling): Change {
  const line = attemptLine(delivery.claimedAt, answer.status, answer.error);
  if (isDelivered(answer)) return { line, state: 'delivered', dueAt: null, isOver: true };
  // Basic webhooks are sent once.
  const delay = delivery.form === 'advanced' ? schedule.delayAfter(delivery.tries + 1) : undefined;
  if (delay === undefined) return { line, state: 'failed', dueAt: null, isOver: false };
  return { line, state: 'pending', dueAt: now + delay, isOver: false };
}

interface Written extends Change {
  readonly keys: readonly number[];
  readonly owner: string;
}

const write = prepared((database, { keys, owner, line, state, dueAt, isOver }: Written) =>
  database
    .updateTable('deliveries')
    .set(({ ref, eb }) => ({
      ...{ state, dueAt, owner: null },
      ...(isOver && { payload: null }),
      tries: eb('tries', '+', 1),
      attempts: sql<string>`${ref('attempts')} || ${line}`,
    }))
    .where('key', 'in', keys)
    .where('owner', '=', owner)
    .returning('key'),
);
