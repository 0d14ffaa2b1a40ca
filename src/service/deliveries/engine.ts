import { type Clock, forwardTime } from '../../kernel/clock.ts';
import type { Membership } from '../store/peers.ts';
import type { Database, Store } from '../store/store.ts';
import { type Alarm, createAlarm } from './alarm.ts';
import { announce, onOutbox } from './bell.ts';
import { bringForward } from './bring-forward.ts';
import { type Claimed, claimLane, claimOwners, type Lane, LEASE, pendingLanes, releaseClaims } from './claim.ts';
import { Lanes, type Rate } from './lanes.ts';
import type { Outcome } from './outcome.ts';
import { isGone, newOwner, retire } from './owner.ts';
import { createPoster, type Poster } from './post.ts';
import { prune } from './prune.ts';
import { type Schedule, scheduleOf } from './schedule.ts';
import { send } from './send.ts';
import { settle } from './settle.ts';

export interface DeliveryOptions {
  readonly clock: Clock;
  /** What every delay between attempts is multiplied by. */
  readonly timeScale?: number | undefined;
  /** Whether targets on this machine and in private networks may be reached: only where no stranger can name them. */
  readonly privateTargets: boolean;
  /** Told of what keeps deliveries from being made at all. */
  readonly report?: (error: unknown) => void;
}

export interface Deliveries {
  /** Begins nothing more, waits a while for what is under way, and leaves the rest to whoever delivers next. */
  stop(): Promise<void>;
}

/** Milliseconds after which the outbox is looked at for what other processes have put there. */
const POLL = 500;
/** The same where they tell of it: for what one of them put there, and could not tell any more. */
const HEARING_POLL = 5_000;
/** Milliseconds for which outcomes are collected, so that many are written down together. */
const LINGER = 10;
/** Milliseconds that attempts under way get when deliveries stop. */
const STOPPING = 2_000;
/** Deliveries between two looks at what has become too old to keep. */
const PRUNE_EVERY = 2_000;

/**
 * Delivers what is in the outbox until it is stopped: at least once, many at a time, none of a slow target in the way of
 * others. Several processes may do so on one store: an endpoint's rate limit holds for all of them together, all other
 * limits for each. What was under way when a process died is sent again.
 */
export function startDeliveries(store: Store, options: DeliveryOptions): Deliveries {
  const engine = new Engine(store, options);
  const running = engine.run();
  return {
    stop: async () => {
      engine.stop();
      await running;
    },
  };
}

class Engine {
  readonly #store: Store;
  readonly #clock: Clock;
  /** What is due is due, though the clock may be set back. */
  readonly #now: () => number;
  readonly #report: (error: unknown) => void;
  readonly #schedule: Schedule;
  readonly #poster: Poster;
  readonly #alarm: Alarm;
  #owner: string = newOwner();
  #membership: Membership | undefined;
  #someoneIsGone = false;
  readonly #lanes = new Lanes();
  /** Not written down yet. */
  readonly #outcomes: Outcome[] = [];
  #isStopping = false;
  #isClosed = false;
  #turns = 0;
  #untilPrune = PRUNE_EVERY;

  constructor(store: Store, { clock, timeScale, privateTargets, report = () => undefined }: DeliveryOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#now = forwardTime(clock);
    this.#report = report;
    this.#schedule = scheduleOf(timeScale);
    this.#poster = createPoster({ privateTargets });
    this.#alarm = createAlarm(clock);
  }

  stop(): void {
    this.#isStopping = true;
    this.#alarm.ring();
  }

  async run(): Promise<void> {
    const silence = onOutbox(this.#store, () => this.#alarm.ring());
    await this.#join();
    await this.#tried(() => this.#store.writeRelaxed((database) => this.#takeStock(database)));
    while (!this.#isStopping) {
      if (this.#someoneIsGone && this.#membership?.hears) await this.#tried(() => this.#takeOver());
      const next = await this.#tried(() => this.#turn());
      if (this.#untilPrune <= 0) await this.#tried(() => this.#tidy());
      const now = this.#now();
      const poll = now + (this.#membership?.hears ? HEARING_POLL : POLL);
      await this.#alarm.wait(Math.max(0, Math.min(next ?? now + POLL, poll) - now));
    }
    silence();
    await this.#tried(() => this.#finish());
    await this.#membership?.leave();
  }

  /** Whoever others can miss claims under the name by which they would. */
  async #join(): Promise<void> {
    this.#membership = await this.#store.peers?.join(this.#clock, {
      told: () => this.#alarm.ring(),
      gone: () => {
        this.#someoneIsGone = true;
        this.#alarm.ring();
      },
    });
    if (!this.#membership?.hears) return;
    retire(this.#owner);
    this.#owner = this.#membership.name;
  }

  /** What goes wrong is told, and tried again. */
  async #tried<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#report(error);
      return undefined;
    }
  }

  async #takeStock(database: Database): Promise<void> {
    await this.#freeClaims(database);
    await bringForward(database, this.#schedule, this.#now());
    await prune(database, this.#now());
  }

  async #takeOver(): Promise<void> {
    await this.#store.writeRelaxed((database) => this.#freeClaims(database));
    this.#someoneIsGone = false;
  }

  /** Frees at once what those had claimed who are known to be gone; the claims of others run out. */
  async #freeClaims(database: Database): Promise<void> {
    const isMissed = this.#store.peers ? (owner: string) => this.#membership?.hasGone(owner) : isGone;
    for (const owner of await claimOwners(database)) {
      if (isMissed(owner)) await releaseClaims(database, owner, this.#now());
    }
  }

  /**
   * Writes down how attempts went, and begins what is due.
   * @returns when there is more to do, as far as is known
   */
  async #turn(): Promise<number> {
    if (this.#outcomes.length === 0) {
      const lanes = await this.#store.read(pendingLanes);
      const next = this.#nextOf(lanes);
      if (next > this.#now()) return next;
    }
    const outcomes = this.#outcomes.splice(0);
    const claimed: Claimed[] = [];
    this.#count(outcomes, 'ended');
    try {
      const lanes = await this.#store.writeRelaxed(async (database) => {
        this.#giveUp(claimed.splice(0));
        const now = this.#now();
        await settle(database, outcomes, { owner: this.#owner, schedule: this.#schedule, now });
        for (const lane of inTurn(await pendingLanes(database), this.#turns++)) {
          if (lane.dueAt <= now) claimed.push(...(await this.#claim(database, lane, now)));
        }
        return pendingLanes(database);
      });
      for (const delivery of claimed) void this.#send(delivery);
      this.#untilPrune -= outcomes.length;
      return this.#nextOf(lanes);
    } catch (error) {
      this.#outcomes.unshift(...outcomes);
      this.#count(outcomes, 'resumed');
      this.#giveUp(claimed);
      throw error;
    }
  }

  /** Gives back the places of what was claimed, and never came to be. */
  #giveUp(claimed: readonly Claimed[]): void {
    for (const { lane } of claimed) this.#lanes.end(lane, true);
  }

  async #claim(database: Database, lane: Lane, now: number): Promise<readonly Claimed[]> {
    const claim = { owner: this.#owner, now, until: now + LEASE };
    const room = (rate: Rate | undefined) => this.#lanes.room(lane.lane, rate);
    const claimed = await claimLane(database, lane, claim, room);
    this.#lanes.begin(lane.lane, claimed.length);
    return claimed;
  }

  /** A place in a lane is taken until what was done there is written down. */
  #count(outcomes: readonly Outcome[], change: 'ended' | 'resumed'): void {
    for (const { delivery, answer } of outcomes) {
      if (change === 'ended') this.#lanes.end(delivery.lane, answer.status !== null);
      else this.#lanes.begin(delivery.lane, 1);
    }
  }

  #nextOf(lanes: readonly Lane[]): number {
    return Math.min(...lanes.map(({ lane, dueAt }) => Math.max(dueAt, this.#lanes.opensAt(lane))));
  }

  async #send(delivery: Claimed): Promise<void> {
    const answer = await send(this.#poster, delivery, this.#clock.now());
    if (this.#isClosed) return;
    this.#outcomes.push({ delivery, answer });
    const isMost = this.#outcomes.length * 4 >= this.#lanes.underWay * 3;
    if (isMost) this.#alarm.ring();
    else this.#alarm.ringIn(LINGER);
  }

  async #tidy(): Promise<void> {
    this.#untilPrune = PRUNE_EVERY;
    this.#lanes.tidy(this.#now());
    await this.#store.writeRelaxed((database) => prune(database, this.#now()));
  }

  async #finish(): Promise<void> {
    const end = this.#now() + STOPPING;
    while (this.#outcomes.length < this.#lanes.underWay && this.#now() < end) {
      await this.#alarm.wait(end - this.#now());
    }
    this.#isClosed = true;
    this.#poster.close();
    retire(this.#owner);
    await this.#store.writeRelaxed(async (database) => {
      const now = this.#now();
      await settle(database, this.#outcomes, { owner: this.#owner, schedule: this.#schedule, now });
      await releaseClaims(database, this.#owner, now);
    });
    await announce(this.#store);
  }
}

/** The lanes beginning with another one each time, so that none is always the last to get what is left. */
function inTurn(lanes: readonly Lane[], turn: number): readonly Lane[] {
  const first = lanes.length === 0 ? 0 : turn % lanes.length;
  return [...lanes.slice(first), ...lanes.slice(0, first)];
}
