import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type Kysely, sql } from 'kysely';
import type { Client } from 'pg';
import type { Clock } from '../../kernel/clock.ts';
import type { Tables } from './tables.ts';

/** Time limit for a member to receive its own notification, in milliseconds. */
const ECHO_TIMEOUT = 2_000;
/** Delay before a reconnect, in milliseconds. */
const RECONNECT_DELAY = 1_000;
/** Delay before a reconnect if a pooler drops notifications, in milliseconds. */
const NO_ECHO_RECONNECT_DELAY = 60_000;
const CLOSE_TIMEOUT = 1_000;
/** Channel names contain the schema, because each schema of a database can be a store. */
const CHANNEL = `'svc ' || hashtextextended('svc ' || current_schema(), 0)`;
const CLASS = `hashtext('svc peers ' || current_schema())`;

export interface Peers {
  /** Notifies peers about new work. Peers that miss the notification find the work by polling. */
  notify(): Promise<void>;
  count(): Promise<number>;
  /**
   * Joins the peers. Resolves after the first check of whether notifications arrive.
   * @param onNotified called after a notification of a peer, and after an interruption in which one
   * may have been missed
   */
  join(clock: Clock, onNotified: () => void): Promise<Member>;
}

/**
 * Wakes peers with NOTIFY and LISTEN, so that they find new work before they poll. Each member
 * listens on a connection of its own, which holds an advisory lock on the member's number until the
 * process ends. Notifications have a transaction of their own, after the commit, because PostgreSQL
 * serializes the commits of transactions with NOTIFY.
 */
export function createPostgresPeers(kysely: Kysely<Tables>, connect: () => Promise<Client>): Peers {
  const ownId = randomBytes(8).toString('hex');
  const send = async (payload: string) => {
    await sql`select pg_notify(${sql.raw(CHANNEL)}, ${payload})`.execute(kysely);
  };
  return {
    notify: coalesce(() => send(ownId).catch(ignoreError)),
    count: async () => (await selectConnectedNumbers(kysely)).length,
    join: async (clock, onNotified) => {
      const member = new Member({ connect, send, ownId, clock, onNotified });
      await member.firstCheck.promise;
      return member;
    },
  };
}

/** Coalesces calls. All calls during a run share the next run. */
function coalesce(work: () => Promise<void>): () => Promise<void> {
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

/** Handles an error of a notification by ignoring it, because peers also poll. */
function ignoreError(): void {
  return;
}

interface PeerDependencies {
  readonly connect: () => Promise<Client>;
  readonly send: (payload: string) => Promise<void>;
  readonly ownId: string;
  readonly clock: Clock;
  readonly onNotified: () => void;
}

export class Member {
  readonly #dependencies: PeerDependencies;
  readonly #number = randomInt(2 ** 31);
  readonly name = `peer ${this.#number}`;
  readonly firstCheck = Promise.withResolvers<void>();
  readonly #leaving = new AbortController();
  readonly #connection: Promise<void>;
  #known: readonly number[] = [];
  #missing: readonly number[] = [];
  #isReceiving = false;
  #echo: () => void = ignoreError;

  constructor(dependencies: PeerDependencies) {
    this.#dependencies = dependencies;
    this.#connection = this.#keepConnected();
  }

  get isReceiving(): boolean {
    return this.#isReceiving;
  }

  /**
   * Whether a peer was missing in this call and the last one. A peer that is missing once may be
   * reconnecting.
   */
  async hasLostPeer(database: Kysely<Tables>): Promise<boolean> {
    const connected = await selectConnectedNumbers(database);
    const isMissing = (number: number) => !connected.includes(number);
    const isLost = this.#missing.some(isMissing);
    this.#missing = this.#known.filter(isMissing);
    this.#known = connected;
    return isLost;
  }

  /** Returns the names of peers that are not connected. */
  async selectDisappeared(
    names: readonly string[],
    database: Kysely<Tables>,
  ): Promise<readonly string[]> {
    const peers = names.filter((name) => PEER_NAME.test(name));
    if (!this.#isReceiving || peers.length === 0) return [];
    const connected = await selectConnectedNumbers(database);
    return peers.filter((name) => !connected.includes(numberOf(name)));
  }

  async leave(): Promise<void> {
    this.#leaving.abort();
    await this.#connection;
  }

  async #keepConnected(): Promise<void> {
    const { signal } = this.#leaving;
    while (!signal.aborted) {
      const end = await this.#listen().catch(ignoreError);
      this.firstCheck.resolve();
      const delay = end === 'noEcho' ? NO_ECHO_RECONNECT_DELAY : RECONNECT_DELAY;
      if (!signal.aborted) await this.#dependencies.clock.sleep(delay, signal).catch(ignoreError);
    }
  }

  async #listen(): Promise<'noEcho' | 'closed'> {
    const { connect, clock, onNotified } = this.#dependencies;
    const client = await connect();
    const closed = new AbortController();
    client.on('end', () => closed.abort());
    client.on('notification', ({ payload }) => this.#receive(payload));
    const ending = AbortSignal.any([closed.signal, this.#leaving.signal]);
    try {
      const { rows } = await client.query<{ channel: string }>(`select ${CHANNEL} as channel`);
      await client.query(`listen ${client.escapeIdentifier(rows[0]?.channel ?? '')}`);
      if (!(await this.#receivesEcho(ending))) return 'noEcho';
      await client.query(`select pg_advisory_lock_shared(${CLASS}, $1)`, [this.#number]);
      this.#isReceiving = true;
      onNotified();
      this.firstCheck.resolve();
      if (!ending.aborted) await once(ending, 'abort');
      return 'closed';
    } finally {
      this.#isReceiving = false;
      await closeClient(client, clock);
    }
  }

  #receive(payload = ''): void {
    const { ownId, onNotified } = this.#dependencies;
    if (payload === `${ownId}?`) this.#echo();
    else if (payload !== ownId && !payload.endsWith('?')) onNotified();
  }

  async #receivesEcho(signal: AbortSignal): Promise<boolean> {
    const { send, ownId, clock } = this.#dependencies;
    const arrived = new Promise<boolean>((resolve) => {
      this.#echo = () => resolve(true);
    });
    await send(`${ownId}?`);
    const timeout = clock.sleep(ECHO_TIMEOUT, signal).catch(ignoreError);
    return Promise.race([arrived, timeout.then(() => false)]);
  }
}

const PEER_NAME = /^peer \d+$/;

const numberOf = (name: string) => Number(name.slice('peer '.length));

async function selectConnectedNumbers(kysely: Kysely<Tables>): Promise<readonly number[]> {
  const { rows } = await sql<{ number: number }>`
    select distinct objid::bigint as number from pg_locks
    where locktype = 'advisory' and objsubid = 2 and granted
      and classid::bigint = ${sql.raw(CLASS)}::bigint & 4294967295
      and database = (select oid from pg_database where datname = current_database())`.execute(
    kysely,
  );
  return rows.map(({ number }) => number);
}

async function closeClient(client: Client, clock: Clock): Promise<void> {
  const timeout = new AbortController();
  await Promise.race([
    client.end().catch(ignoreError),
    clock.sleep(CLOSE_TIMEOUT, timeout.signal).catch(ignoreError),
  ]);
  timeout.abort();
}
