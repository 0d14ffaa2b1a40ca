import { randomBytes, randomInt } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Client } from 'pg';
import type { Clock } from '../../kernel/clock.ts';
import type { Membership, PeerListener, Peers } from './peers.ts';
import type { Tables } from './tables.ts';

/** Milliseconds between two looks at who is there, and at whether one still hears. */
const LOOK = 1_000;
/** Looks in a row that miss a peer before it counts as gone: whoever only lost a connection comes back meanwhile. */
const MISSED = 3;
/** Milliseconds in which one's own word comes back, where words come through at all. */
const ECHO = 2_000;
/** Milliseconds before a lost connection is made anew: at first, and twice as many each time up to the last. */
const RETURN = { first: 100, last: LOOK } as const;
/** The same where words don't come through, as behind a pooler that hands on connections with each transaction. */
const DEAF = 60_000;
/** Milliseconds that a connection gets to end in order. */
const ENDING = 1_000;

/** A store is a schema: what stands in another one is none of its own. */
const CHANNEL = `'svc ' || hashtextextended('svc ' || current_schema(), 0)`;
const CLASS = `hashtext('svc peers ' || current_schema())`;

/**
 * Peers tell by NOTIFY and hear by LISTEN, each on a connection of its own; there it also holds a lock of its number, which
 * ends with its process. A notification of a transaction that writes would make all such commits of the server wait for each
 * other, so it is sent behind the commit by itself.
 */
export function postgresPeers(kysely: Kysely<Tables>, connect: () => Promise<Client>): Peers {
  const own = randomBytes(8).toString('hex');
  const say = async (word: string) => {
    await sql`select pg_notify(${sql.raw(CHANNEL)}, ${word})`.execute(kysely);
  };
  return {
    tell: oneForAll(() => say(own).catch(unheard)),
    join: async (clock, listener) => {
      const member = new Member({ kysely, connect, say, own, clock, listener });
      await member.tried;
      return member;
    },
  };
}

/** Work that is asked for while it is under way is done once more, for all who have asked meanwhile. */
function oneForAll(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = () => {
    next = undefined;
    running = work().finally(() => {
      running = undefined;
    });
    return running;
  };
  return () => {
    if (!running) return start();
    next ??= running.then(start);
    return next;
  };
}

/** Nobody has to hear: whoever listens looks for himself now and then. */
function unheard(): void {
  return;
}

interface World {
  readonly kysely: Kysely<Tables>;
  readonly connect: () => Promise<Client>;
  readonly say: (word: string) => Promise<void>;
  /** What marks one's own words. */
  readonly own: string;
  readonly clock: Clock;
  readonly listener: PeerListener;
}

class Member implements Membership {
  readonly name: string;
  /** Resolves when the first connection has shown whether it is good for hearing. */
  readonly tried: Promise<void>;
  readonly #world: World;
  readonly #number = randomInt(2 ** 31);
  readonly #leaving = new AbortController();
  readonly #staying: Promise<void>;
  /** Who is there, and how many looks in a row have missed each. */
  #others: ReadonlyMap<number, number> = new Map();
  #hears = false;
  #echo: () => void = unheard;

  constructor(world: World) {
    this.#world = world;
    this.name = `peer ${this.#number}`;
    const tried = Promise.withResolvers<void>();
    this.tried = tried.promise;
    this.#staying = this.#stay(tried.resolve);
  }

  get hears(): boolean {
    return this.#hears;
  }

  hasGone(name: string): boolean {
    const number = Number(/^peer (\d+)$/.exec(name)?.[1]);
    return this.#hears && !Number.isNaN(number) && !this.#others.has(number);
  }

  async leave(): Promise<void> {
    this.#leaving.abort();
    await this.#staying;
  }

  async #stay(tried: () => void): Promise<void> {
    const { signal } = this.#leaving;
    for (let pause: number = RETURN.first; !signal.aborted; ) {
      const end = await this.#listen(tried).catch(unheard);
      tried();
      if (end === 'heard') pause = RETURN.first;
      if (!signal.aborted) await this.#world.clock.sleep(end === 'deaf' ? DEAF : pause, signal).catch(unheard);
      pause = Math.min(pause * 2, RETURN.last);
    }
  }

  /** Listens for as long as a connection lasts, or one stays. */
  async #listen(tried: () => void): Promise<'deaf' | 'heard'> {
    const { connect, clock, listener } = this.#world;
    const client = await connect();
    const over = new AbortController();
    client.on('end', () => over.abort());
    client.on('notification', ({ payload }) => this.#take(payload));
    const ending = AbortSignal.any([over.signal, this.#leaving.signal]);
    try {
      await client.query(`listen ${client.escapeIdentifier(await channelOf(client))}`);
      if (!(await this.#hearsItself(ending))) return 'deaf';
      await client.query(`select pg_advisory_lock_shared(${CLASS}, $1)`, [this.#number]);
      do {
        await this.#look();
        if (!this.#hears) listener.told();
        this.#hears = true;
        tried();
        await clock.sleep(LOOK, ending).catch(unheard);
      } while (!ending.aborted && (await this.#hearsItself(ending)));
      return 'heard';
    } finally {
      this.#hears = false;
      await ended(client, clock);
    }
  }

  #take(word = ''): void {
    const { own, listener } = this.#world;
    if (word === question(own)) this.#echo();
    else if (word !== own && !isQuestion(word)) listener.told();
  }

  /** Asks over another connection, as whoever tells something does. */
  async #hearsItself(signal: AbortSignal): Promise<boolean> {
    const { say, own, clock } = this.#world;
    const came = new Promise<boolean>((resolve) => {
      this.#echo = () => resolve(true);
    });
    await say(question(own));
    return Promise.race([came, clock.sleep(ECHO, signal).then(never, never)]);
  }

  async #look(): Promise<void> {
    const there = new Map((await numbersThere(this.#world.kysely)).map((number) => [number, 0]));
    const missed = [...this.#others].filter(([number]) => !there.has(number));
    const waitedFor = missed.filter(([, looks]) => looks + 1 < MISSED);
    this.#others = new Map([...there, ...waitedFor.map(([number, looks]) => [number, looks + 1] as const)]);
    if (waitedFor.length < missed.length) this.#world.listener.gone();
  }
}

function question(own: string): string {
  return `${own}?`;
}

function isQuestion(word: string): boolean {
  return word.endsWith('?');
}

function never(): boolean {
  return false;
}

async function channelOf(client: Client): Promise<string> {
  const { rows } = await client.query<{ channel: string }>(`select ${CHANNEL} as channel`);
  return rows[0]?.channel ?? '';
}

/** The numbers of which somebody holds the lock. */
async function numbersThere(kysely: Kysely<Tables>): Promise<readonly number[]> {
  const { rows } = await sql<{ number: number }>`
    select distinct objid::bigint as number from pg_locks
    where locktype = 'advisory' and objsubid = 2 and granted
      and classid::bigint = ${sql.raw(CLASS)}::bigint & 4294967295
      and database = (select oid from pg_database where datname = current_database())`.execute(kysely);
  return rows.map(({ number }) => number);
}

/** A connection that says nothing any more is not waited for. */
async function ended(client: Client, clock: Clock): Promise<void> {
  const waiting = new AbortController();
  await Promise.race([client.end().catch(unheard), clock.sleep(ENDING, waiting.signal).catch(unheard)]);
  waiting.abort();
}
