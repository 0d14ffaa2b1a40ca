import type { SvcError } from '../kernel/errors.ts';
import type { AlikeRefusals } from './alike.ts';
import type { Batch, Block } from './batches.ts';
import type { BatchOutcome, RequestKind } from './outcome.ts';
import type { ItemResult, ItemStatus } from './record.ts';
import { type ReadReply, readReply, readWholeReply, type Wanted } from './reply.ts';

/** What became of a batch, after as many requests as it took. */
export interface Delivered {
  /** Its records that did not simply succeed, or all of them, as they stand in the input. A skipped one was surely not applied. */
  readonly items: readonly ItemResult[];
  readonly requests: number;
  readonly retries: number;
  readonly strangers: readonly string[];
  /** Why no other batch would fare better. */
  readonly hopeless: SvcError | undefined;
  /** Why it ended without an answer. */
  readonly lost: SvcError | undefined;
}

/** Looks at records that exist already: whether they are there as they were sent. What was not seen is left out. */
export type LookAtThem = (records: Block) => Promise<ReadonlyMap<string, boolean>>;

export interface DeliveryWorld {
  /** Sends one request; undefined when nothing more is sent. */
  readonly send: (batch: Block, kind: RequestKind) => Promise<BatchOutcome | undefined>;
  /** Waits before the nth repetition. */
  readonly pause: (repetition: number) => Promise<void>;
  /** Requests of this run that were answered. */
  readonly answered: () => number;
  readonly alike: AlikeRefusals;
  readonly look?: LookAtThem | undefined;
  readonly wanted: Wanted;
}

/** How often records that failed inside the service are sent again. */
const REPETITIONS = 2;

/** How often a batch that got no answer is sent again while others get one, and while none does. */
const TRIES = { answered: 8, silent: 2 };

/**
 * Sends a batch. Where it is refused as a whole, it is cut in two until the records to blame are found, and the others
 * land; records that the service names are taken out at once. One record to blame costs at most 2·log2(n) more requests.
 */
export async function deliver({ records, again }: Batch, world: DeliveryWorld): Promise<Delivered> {
  const delivery = new Delivery(records.length, again, world);
  await delivery.send(records);
  return delivery.result();
}

/** What the sending of records came to: all was taken, the request was refused, or it did not get that far. */
type Fate = 'taken' | 'refused' | 'open';

class Delivery {
  readonly #world: DeliveryWorld;
  readonly #size: number;
  readonly #items: ItemResult[] = [];
  readonly #strangers: string[] = [];
  #requests = 0;
  #retries = 0;
  #hopeless: SvcError | undefined;
  #lost: SvcError | undefined;
  /** Some of the records may have been applied by a request that got no answer. */
  #unsettled: boolean;
  /** Why the last record was refused that was alone in its request. */
  #blamed: SvcError | undefined;

  constructor(size: number, again: boolean, world: DeliveryWorld) {
    this.#size = size;
    this.#unsettled = again;
    this.#world = world;
  }

  result(): Delivered {
    // Another batch may have shown meanwhile that no record is to blame.
    this.#judge();
    return {
      items: this.#items.toSorted((one, other) => one.record.index - other.record.index),
      requests: this.#requests,
      retries: this.#retries,
      strangers: this.#strangers,
      hopeless: this.#hopeless,
      lost: this.#lost,
    };
  }

  async send(batch: Block, kind: RequestKind = 'new'): Promise<Fate> {
    const outcome = await this.#request(batch, kind);
    switch (outcome?.kind) {
      case undefined:
        return this.#all(batch, 'skipped', NOT_SENT);
      case 'confirmed':
        return this.#read(batch, CONFIRMED);
      case 'answered':
        return this.#read(batch, readReply(batch, outcome.reply, this.#world.wanted));
      case 'answered_whole':
        return this.#read(batch, readWholeReply(batch, outcome.reply, this.#world.wanted));
      case 'hopeless':
        this.#hopeless = outcome.error;
        return this.#all(batch, 'skipped', told(outcome.error));
      case 'refused':
        if (outcome.named?.size) return this.#without(batch, outcome.named, outcome.error);
        if (outcome.tooLarge && batch.length > 1) return this.#halve(batch);
        return this.#divide(batch, 'failed', outcome.error);
      case 'unknown':
        if (outcome.by === 'service' && outcome.again !== 'never') return this.#divide(batch, 'unknown', outcome.error);
        this.#lost = outcome.error;
        return this.#all(batch, 'unknown', {
          ...told(outcome.error),
          ...(outcome.again !== 'never' && { open: true }),
        });
    }
  }

  /** Sends one request, and again where the way to the service failed while others get through. */
  async #request(batch: Block, kind: RequestKind): Promise<BatchOutcome | undefined> {
    if (this.#hopeless) return undefined;
    const { send, pause, answered } = this.#world;
    let last: BatchOutcome | undefined;
    for (let tries = 1; ; tries += 1) {
      const before = answered();
      const outcome = await send(batch, kind);
      if (!outcome) return last;
      last = outcome;
      this.#unsettled ||= outcome.kind === 'unknown' || (outcome.kind === 'answered' && outcome.unsettled === true);
      this.#requests += 1 + outcome.retries;
      this.#retries += outcome.retries + (tries > 1 ? 1 : 0);
      if (outcome.kind !== 'unknown' || outcome.by !== 'way' || outcome.again !== 'now') return outcome;
      const most = answered() > before ? TRIES.answered : before > 0 ? TRIES.silent : 0;
      if (tries > most) return outcome;
      await pause(tries);
    }
  }

  /** The records that the service names have failed; the others go out without them. */
  async #without(batch: Block, named: ReadonlyMap<number, string>, { failure }: SvcError): Promise<Fate> {
    const [blamed, rest] = [batch.filter((_, at) => named.has(at)), batch.filter((_, at) => !named.has(at))];
    for (const record of blamed) {
      const message = named.get(batch.indexOf(record)) ?? null;
      this.#items.push({ record, status: 'failed', message, code: failure });
    }
    if (rest.length > 0) await this.send(rest);
    return 'refused';
  }

  /** The first half, then the second, which is known to hold the record to blame where the first half was taken. */
  async #divide(batch: Block, status: 'failed' | 'unknown', error: SvcError): Promise<Fate> {
    if (batch.length === 1) return this.#alone(batch, status, error);
    const kind = status === 'unknown' ? 'part' : 'new';
    const half = Math.floor(batch.length / 2);
    const [first, second] = [batch.slice(0, half), batch.slice(half)];
    const fate = await this.send(first, kind);
    if (fate === 'taken' && second.length > 1) await this.#divide(second, status, error);
    else await this.send(second, kind);
    return 'refused';
  }

  /** Both halves as they are: where the first was small enough, the second may be as well. */
  async #halve(batch: Block): Promise<Fate> {
    const half = Math.floor(batch.length / 2);
    await this.send(batch.slice(0, half));
    await this.send(batch.slice(half));
    return 'refused';
  }

  #alone(batch: Block, status: 'failed' | 'unknown', error: SvcError): Fate {
    this.#blamed = error;
    this.#world.alike.refused(error);
    this.#all(batch, status, told(error));
    this.#judge();
    return 'refused';
  }

  /** Where it is no record's fault, what was refused was not looked at, and may be sent again one day. */
  #judge(): void {
    const error = this.#blamed;
    if (!error || this.#hopeless || !this.#world.alike.isHopeless(this.#size)) return;
    this.#hopeless = error;
    for (const [at, item] of this.#items.entries()) {
      if (item.status === 'failed' && item.message === error.message) this.#items[at] = { ...item, status: 'skipped' };
    }
  }

  /** Takes what a reply says, and sends again what failed inside the service and nothing else. */
  async #read(batch: Block, { items: first, strangers }: ReadReply): Promise<Fate> {
    let items = await this.#settled(first);
    this.#strangers.push(...strangers);
    if (items.length < batch.length || items.some(({ status }) => status === 'succeeded')) this.#world.alike.success();
    for (let repetition = 1; repetition <= REPETITIONS; repetition += 1) {
      const again = items.filter(isInternal).map(({ record }) => record);
      if (again.length === 0) break;
      await this.#world.pause(repetition);
      const told = await this.#repeat(again);
      if (!told) break;
      this.#items.push(...items.filter((item) => !isInternal(item)));
      items = told;
    }
    this.#items.push(...items);
    return 'taken';
  }

  /** What is known of the records after one more request; undefined when it tells nothing new. */
  async #repeat(batch: Block): Promise<readonly ItemResult[] | undefined> {
    const outcome = await this.#request(batch, 'part');
    switch (outcome?.kind) {
      case 'confirmed':
        return [];
      case 'answered':
        return this.#settled(readReply(batch, outcome.reply, this.#world.wanted).items);
      case 'answered_whole':
        return readWholeReply(batch, outcome.reply, this.#world.wanted).items;
      case 'unknown':
        return allOf(batch, 'unknown', told(outcome.error));
      default:
        return undefined;
    }
  }

  /** What exists already may be there because of a request before: one that is there as it was sent has arrived. */
  async #settled(items: readonly ItemResult[]): Promise<readonly ItemResult[]> {
    const { look, wanted } = this.#world;
    const doubtful = this.#unsettled ? items.filter(isThere) : [];
    if (doubtful.length === 0) return items;
    const seen = await look?.(doubtful.map(({ record }) => record));
    const settled = items.map((item) => (isThere(item) ? itemSeen(item, seen?.get(item.record.id)) : item));
    return wanted === 'all' ? settled : settled.filter(({ status }) => status !== 'succeeded');
  }

  #all(batch: Block, status: ItemStatus, said: Said): Fate {
    this.#items.push(...allOf(batch, status, said));
    return 'open';
  }
}

const CONFIRMED: ReadReply = { items: [], strangers: [] };

type Said = Pick<ItemResult, 'message' | 'code' | 'open'>;

const NOT_SENT: Said = { message: 'not sent: the run was stopped', code: 'not_sent' };

function told({ message, failure }: SvcError): Said {
  return { message, code: failure };
}

function allOf(batch: Block, status: ItemStatus, said: Said): readonly ItemResult[] {
  return batch.map((record) => ({ record, status, ...said }));
}

function isThere({ status, code }: ItemResult): boolean {
  return status === 'failed' && code === 'already-exists';
}

function itemSeen(item: ItemResult, isAsSent: boolean | undefined): ItemResult {
  if (isAsSent === false) return item;
  if (isAsSent) return { ...item, status: 'succeeded', message: 'it was there when it was sent again', code: null };
  const message = `${item.message ?? 'It exists already'}; this run may have added it before, by a request whose outcome is unknown`;
  return { ...item, status: 'unknown', message, code: 'outcome_unknown' };
}

/** Failed inside the service: of all that an item may say, only this is worth another try. */
function isInternal({ status, code }: ItemResult): boolean {
  return status === 'failed' && code === 'internal';
}
