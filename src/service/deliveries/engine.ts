import type { LoggedAttempt } from '../../catalog/local/delivery.ts';
import { type Clock, createNonDecreasingTime } from '../../kernel/clock.ts';
import type { Database, Store } from '../store/store.ts';
import { type AttemptOutcome, attemptDelivery } from './attempt-delivery.ts';
import {
  CLAIM_DURATION,
  type ClaimedDelivery,
  claimLane,
  type PendingLane,
  releaseClaims,
  returnClaims,
  selectNextDue,
  selectPendingLanes,
} from './claim.ts';
import { ClaimOwner } from './claim-owner.ts';
import { Dispatcher } from './dispatcher.ts';
import { type AttemptResult, createHttpSender, type HttpSender } from './http-sender.ts';
import type { EndpointRate, Lanes } from './lanes.ts';
import { EXHAUSTED, recordOutcomes } from './record-outcomes.ts';
import { createRetrySchedule, type RetrySchedule } from './schedule.ts';
import { endpointIdOf } from './subscriptions.ts';
import { capDueTimes, pruneDeliveries } from './upkeep.ts';
import { createWakeup, notifyOutboxChange, onOutboxChange, type Wakeup } from './wakeup.ts';

/**
 * Time of the service, which may differ from the real time. Attempts and due times are in this
 * time.
 */
export interface ServiceTime {
  readonly convert: (realTime: number) => number;
  readonly refresh: (database: Database) => unknown;
}

export interface DeliveryOptions {
  readonly clock: Clock;
  /** Default: the real time. */
  readonly time?: ServiceTime;
  /** Multiplier for the delays between attempts (default: 1). */
  readonly timeScale?: number | undefined;
  /**
   * Whether to deliver to this machine and private networks. Only safe if all users who can set a
   * URL are trusted.
   */
  readonly allowPrivateTargets: boolean;
  readonly report?: (error: unknown) => void;
  /** Makes an attempt of a delivery, usually with `send`. Must not reject. */
  readonly intercept?:
    | ((payload: string, send: () => Promise<AttemptResult>) => Promise<AttemptResult>)
    | undefined;
  /** Receives each attempt when it ends. */
  readonly onAttempt?: ((attempt: LoggedAttempt) => void) | undefined;
}

const REAL_TIME: ServiceTime = { convert: (time) => time, refresh: () => undefined };
/** Polling interval while other processes deliver, in milliseconds. */
const BUSY_POLL_INTERVAL = 20;
/**
 * Polling interval without notifications from peers, in milliseconds. Signals between processes may
 * be lost.
 */
const POLL_INTERVAL = 500;
/**
 * Polling interval with notifications from peers, in milliseconds. A peer may end before it sends
 * one.
 */
const NOTIFIED_POLL_INTERVAL = 3_000;
/** Time to collect outcomes before recording them in one transaction, in milliseconds. */
const FLUSH_DELAY = 10;
/** Time limit for attempts in flight when the engine stops, in milliseconds. */
const STOP_TIMEOUT = 2_000;
const PRUNE_INTERVAL = 2_000;

/**
 * Delivers the outbox until stopped, with at-least-once delivery and concurrent attempts. A slow
 * target does not delay others. Several processes may deliver from one store. They share the rate
 * limit of each endpoint; other limits apply per process. If a process dies, its attempts in flight
 * are repeated.
 */
export function startDeliveries(store: Store, options: DeliveryOptions) {
  const engine = new Engine(store, options);
  const running = engine.run();
  return {
    /**
     * Starts no more attempts, waits briefly for those in flight, and releases the remaining
     * claims.
     */
    stop: async () => {
      engine.stop();
      await running;
    },
  };
}

/** Delivers on request, like `startDeliveries` and beside it. */
export async function openDeliveries(store: Store, options: DeliveryOptions) {
  const engine = new Engine(store, options);
  await engine.open();
  return {
    /**
     * Delivers until no delivery is in flight or was due at the call. Waits neither for deliveries
     * after the key `newest`, because new ones may be added all the time, except for events about
     * exhausted deliveries.
     * @returns the due time of the next of these deliveries
     */
    deliverDue: (newest: number, signal?: AbortSignal) => engine.deliverDue(newest, signal),
    close: () => engine.close(),
  };
}

class Engine {
  readonly #store: Store;
  /**
   * Real time, which never runs backward. If the system's clock is set back, due deliveries stay
   * due.
   */
  readonly #realNow: () => number;
  readonly #clock: Clock;
  readonly #time: ServiceTime;
  #latest = 0;
  /** Time of the next check for peers that have ended. */
  #peerCheckAt = 0;
  readonly #report: (error: unknown) => void;
  readonly #schedule: RetrySchedule;
  readonly #sender: HttpSender;
  readonly #wakeup: Wakeup;
  readonly #owner: ClaimOwner;
  #unsubscribe: () => void = () => undefined;
  readonly #dispatcher: Dispatcher;
  readonly #lanes: Lanes;
  readonly #outcomes: AttemptOutcome[] = [];
  /** Deliveries whose outcomes are not recorded yet. */
  readonly #unrecorded = new Set<ClaimedDelivery>();
  #isStopping = false;
  #isClosed = false;
  #cycles = 0;
  #batch = 0;
  #scheduledBatch = -1;
  #isRecording = false;
  #outcomesUntilPrune = PRUNE_INTERVAL;

  constructor(store: Store, options: DeliveryOptions) {
    const { clock, time = REAL_TIME, timeScale, allowPrivateTargets } = options;
    const { report = () => undefined, intercept = (_, send) => send(), onAttempt } = options;
    this.#store = store;
    this.#owner = new ClaimOwner(store);
    this.#clock = clock;
    this.#time = time;
    this.#realNow = createNonDecreasingTime(clock);
    this.#report = report;
    this.#schedule = createRetrySchedule(timeScale);
    this.#sender = createHttpSender({ allowPrivateTargets });
    this.#wakeup = createWakeup(clock);
    this.#dispatcher = new Dispatcher({
      attempt: (delivery) => {
        // Receivers compare the time in the signature with the real time.
        const send = () => attemptDelivery(this.#sender, delivery, this.#realNow());
        return intercept(delivery.payload, send);
      },
      onOutcome: (outcome) => {
        onAttempt?.(describeOutcome(outcome));
        this.#addOutcome(outcome);
      },
      now: this.#realNow,
    });
    this.#lanes = this.#dispatcher.lanes;
  }

  stop(): void {
    this.#isStopping = true;
    this.#wakeup.wake();
  }

  #now(): number {
    return this.#time.convert(this.#realNow());
  }

  async open(): Promise<void> {
    this.#unsubscribe = onOutboxChange(this.#store, () => this.#wakeup.wake());
    await this.#owner.join(this.#clock, () => this.#wakeup.wake());
    await this.#reportErrors(() => this.#store.writeRelaxed((database) => this.#recover(database)));
  }

  async run(): Promise<void> {
    await this.open();
    while (!this.#isStopping) {
      if (this.#owner.isNotified && this.#realNow() >= this.#peerCheckAt) {
        this.#peerCheckAt = this.#realNow() + NOTIFIED_POLL_INTERVAL;
        await this.#reportErrors(() => this.#owner.releaseLostClaims(() => this.#now()));
      }
      const lanes = await this.#reportErrors(() => this.#runCycle());
      // New outcomes wake the engine soon. A transaction for each of them would cost more.
      const next = lanes && this.#outcomes.length === 0 ? this.#nextDueAt(lanes) : undefined;
      if (this.#outcomesUntilPrune <= 0) await this.#reportErrors(() => this.#cleanUp());
      const now = this.#now();
      const poll = now + (this.#owner.isNotified ? NOTIFIED_POLL_INTERVAL : POLL_INTERVAL);
      await this.#wakeup.wait(Math.max(0, Math.min(next ?? now + POLL_INTERVAL, poll) - now));
    }
    await this.close();
  }

  async deliverDue(newest: number, signal?: AbortSignal): Promise<number> {
    const isAwaited = ({ key, event }: Pick<ClaimedDelivery, 'key' | 'event'>) =>
      key <= newest || event === EXHAUSTED;
    const start = this.#now();
    for (let end: number | undefined; ; await this.#wakeup.wait(BUSY_POLL_INTERVAL)) {
      signal?.throwIfAborted();
      const lanes = await this.#runCycle();
      const due = lanes.filter((lane) => isAwaited(lane) && lane.dueAt <= start);
      const isBusy =
        [...this.#unrecorded].some(isAwaited) || this.#nextUnpaused(due) <= this.#now();
      const isPeerBusy = !isBusy && (await this.#owner.isPeerDelivering(() => this.#now(), newest));
      end = isBusy ? undefined : (end ?? this.#realNow() + CLAIM_DURATION);
      if (isBusy || (isPeerBusy && this.#realNow() < (end ?? 0))) continue;
      const next = await this.#store.read((database) =>
        selectNextDue(database, { newest, event: EXHAUSTED }),
      );
      return this.#nextUnpaused(next);
    }
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    await this.#reportErrors(() => this.#shutDown());
    await this.#owner.leave();
  }

  /** Runs `work` and reports its errors. The next cycle repeats failed work. */
  async #reportErrors<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#report(error);
      return undefined;
    }
  }

  async #recover(database: Database): Promise<void> {
    await this.#time.refresh(database);
    await this.#owner.releaseOrphanedClaimsIn(database, this.#now());
    await capDueTimes(database, this.#schedule, this.#now());
    await pruneDeliveries(database, this.#now());
  }

  /** Records outcomes and starts due deliveries. @returns the lanes that have pending deliveries */
  async #runCycle(): Promise<readonly PendingLane[]> {
    if (this.#outcomes.length === 0) {
      const lanes = await this.#store.read(async (database) => {
        await this.#time.refresh(database);
        return selectPendingLanes(database);
      });
      const [next, now] = [this.#nextDueAt(lanes), this.#now()];
      if (next > now && now >= this.#latest) {
        this.#latest = now;
        return lanes;
      }
    }
    const outcomes = this.#outcomes.splice(0);
    this.#batch++;
    this.#isRecording = true;
    const claimed: ClaimedDelivery[] = [];
    const overdue: ClaimedDelivery[] = [];
    try {
      const pending = await this.#store.writeRelaxed(async (database) => {
        this.#unclaim(claimed.splice(0));
        const now = await this.#readTime(database);
        overdue.push(...this.#dispatcher.removeOverdue(now));
        await returnClaims(database, overdue, this.#owner.name, now);
        await recordOutcomes(database, outcomes, {
          owner: this.#owner.name,
          schedule: this.#schedule,
          now,
        });
        const lanes = await selectPendingLanes(database);
        for (const lane of rotate(lanes, this.#cycles++)) {
          if (lane.dueAt <= now) claimed.push(...(await this.#claim(database, lane, now)));
        }
        // A lane without free slots waits for an outcome, not for its next due time.
        const isFull = lanes.every(
          ({ lane, dueAt }) =>
            dueAt > now || this.#lanes.availableAt(lane) === Number.POSITIVE_INFINITY,
        );
        return isFull ? lanes : selectPendingLanes(database);
      });
      for (const { delivery } of outcomes) this.#unrecorded.delete(delivery);
      for (const delivery of overdue) this.#unrecorded.delete(delivery);
      for (const delivery of claimed) this.#unrecorded.add(delivery);
      this.#dispatcher.add(claimed);
      this.#outcomesUntilPrune -= outcomes.length;
      this.#isRecording = false;
      if (this.#outcomes.length > 0) this.#recordSoon();
      return pending;
    } catch (error) {
      this.#outcomes.unshift(...outcomes);
      this.#unclaim(claimed);
      this.#restore(overdue);
      this.#isRecording = false;
      throw error;
    }
  }

  /** Returns the current time. If it was set back, adjusts due times first. */
  async #readTime(database: Database): Promise<number> {
    await this.#time.refresh(database);
    const now = this.#now();
    if (now < this.#latest) {
      this.#lanes.endPauses();
      await capDueTimes(database, this.#schedule, now);
    }
    this.#latest = now;
    return now;
  }

  /** Frees the slots of deliveries whose claims were not committed. */
  #unclaim(claimed: readonly ClaimedDelivery[]): void {
    for (const { lane } of claimed) this.#lanes.unclaim(lane, 1);
  }

  #restore(overdue: readonly ClaimedDelivery[]): void {
    for (const { lane } of overdue) this.#lanes.claim(lane, 1);
    this.#dispatcher.add(overdue);
  }

  async #claim(
    database: Database,
    lane: PendingLane,
    now: number,
  ): Promise<readonly ClaimedDelivery[]> {
    const claim = { owner: this.#owner.name, now, until: now + CLAIM_DURATION };
    const capacityFor = (rate: EndpointRate | undefined) => this.#lanes.capacity(lane.lane, rate);
    const claimed = await claimLane(database, lane, claim, capacityFor);
    this.#lanes.claim(lane.lane, claimed.length);
    return claimed;
  }

  #nextDueAt(lanes: readonly PendingLane[]): number {
    return Math.min(
      ...lanes.map(({ lane, dueAt }) => Math.max(dueAt, this.#lanes.availableAt(lane))),
    );
  }

  /** Returns the next due time, whether or not the lane has a free slot. */
  #nextUnpaused(lanes: readonly Pick<PendingLane, 'lane' | 'dueAt'>[]): number {
    return Math.min(
      ...lanes.map(({ lane, dueAt }) => Math.max(dueAt, this.#lanes.pausedUntil(lane))),
    );
  }

  #addOutcome(outcome: AttemptOutcome): void {
    if (this.#isClosed) return;
    this.#outcomes.push(outcome);
    if (!this.#isRecording) this.#recordSoon();
  }

  /** Wakes the engine when most claimed deliveries were attempted, or after a delay. */
  #recordSoon(): void {
    const batch = this.#batch;
    const isMajority = this.#outcomes.length * 4 >= this.#unrecorded.size * 3;
    if (isMajority) this.#wakeup.wake();
    else if (this.#scheduledBatch !== batch) {
      this.#scheduledBatch = batch;
      void this.#clock.sleep(FLUSH_DELAY).then(() => batch === this.#batch && this.#wakeup.wake());
    }
  }

  async #cleanUp(): Promise<void> {
    this.#outcomesUntilPrune = PRUNE_INTERVAL;
    this.#lanes.forgetIdle(this.#now());
    await this.#store.writeRelaxed((database) => pruneDeliveries(database, this.#now()));
  }

  async #shutDown(): Promise<void> {
    const end = this.#realNow() + STOP_TIMEOUT;
    this.#dispatcher.clear();
    while (this.#lanes.inFlight > 0 && this.#realNow() < end)
      await this.#wakeup.wait(end - this.#realNow());
    this.#isClosed = true;
    this.#sender.close();
    this.#owner.retire();
    await this.#store.writeRelaxed(async (database) => {
      await this.#time.refresh(database);
      const now = this.#now();
      await recordOutcomes(database, this.#outcomes, {
        owner: this.#owner.name,
        schedule: this.#schedule,
        now,
      });
      await releaseClaims(database, this.#owner.name, now);
    });
    await notifyOutboxChange(this.#store);
  }
}

function describeOutcome({ delivery, result }: AttemptOutcome): LoggedAttempt {
  const { id, event, tries, claimedAt, destination } = delivery;
  return {
    id,
    event,
    endpointId: endpointIdOf(delivery),
    endpointUid: destination.uid ?? null,
    attempt: tries + 1,
    at: new Date(claimedAt).toISOString(),
    ...result,
  };
}

/** Rotates the lanes with each cycle, so that all lanes get free slots. */
function rotate(lanes: readonly PendingLane[], cycle: number): readonly PendingLane[] {
  const first = lanes.length === 0 ? 0 : cycle % lanes.length;
  return [...lanes.slice(first), ...lanes.slice(0, first)];
}
