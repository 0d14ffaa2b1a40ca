import { isObject } from '../kernel/is-object.ts';
import { redactMet } from '../kernel/redact.ts';
import type { Block } from './batches.ts';
import type { BulkRecord, ItemResult } from './record.ts';

/** The records whose outcomes are wanted: all of them, or those that did not simply succeed. */
export type Wanted = 'all' | 'exceptions';

export interface ReadReply {
  /** The records that are wanted, in order. */
  readonly items: readonly ItemResult[];
  /** Ids that the reply names and the request did not. */
  readonly strangers: readonly string[];
}

/**
 * What a reply says of each record of its request. It names them by id, or is a list in the order of the request. Only a
 * literal `true` is success; of a record that is not mentioned nothing is known.
 */
export function readReply(batch: Block, reply: unknown, wanted: Wanted): ReadReply {
  if (Array.isArray(reply)) return { items: itemsOf(batch, (_, at) => reply[at], wanted), strangers: [] };
  const byId: Readonly<Record<string, unknown>> = isObject(reply) ? reply : {};
  let mentioned = 0;
  const items = itemsOf(
    batch,
    ({ id }) => {
      if (!Object.hasOwn(byId, id)) return undefined;
      mentioned += 1;
      return byId[id];
    },
    wanted,
  );
  return { items, strangers: Object.keys(byId).length > mentioned ? strangersIn(byId, batch) : [] };
}

/** What a reply with one result for all the records of its request says of each. */
export function readWholeReply(batch: Block, reply: unknown, wanted: Wanted): ReadReply {
  return { items: itemsOf(batch, () => reply, wanted), strangers: [] };
}

function itemsOf(
  batch: Block,
  answerOf: (record: BulkRecord, at: number) => unknown,
  wanted: Wanted,
): readonly ItemResult[] {
  const items: ItemResult[] = [];
  for (let at = 0; at < batch.length; at += 1) {
    const record = batch[at];
    if (!record) continue;
    const answer = answerOf(record, at);
    if (wanted === 'all' || !isSuccess(answer)) items.push(itemResult(record, answer));
  }
  return items;
}

function isSuccess(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'success' in answer && answer.success === true;
}

function strangersIn(reply: object, batch: Block): readonly string[] {
  const sent = new Set(batch.map(({ id }) => id));
  return Object.keys(reply).filter((id) => !sent.has(id));
}

/** Messages go into files and summaries. Most records get the same one, so the last is remembered. */
let last = { message: '', clean: '' };

function withoutSecrets(message: string): string {
  if (message !== last.message) last = { message, clean: redactMet(message) };
  return last.clean;
}

function itemResult(record: BulkRecord, answer: unknown): ItemResult {
  if (typeof answer !== 'object' || answer === null) {
    return { record, status: 'unknown', message: 'the reply does not mention it', code: 'outcome_unknown' };
  }
  const { success, message, code } = answer as Readonly<Record<string, unknown>>;
  return {
    record,
    status: success === true ? 'succeeded' : 'failed',
    message: typeof message === 'string' ? withoutSecrets(message) : null,
    code: typeof code === 'string' ? redactMet(code) : null,
  };
}
