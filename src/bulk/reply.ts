import { redactMet } from '../kernel/redact.ts';
import type { BulkRecord, ItemResult } from './record.ts';

export interface ReadReply {
  readonly items: readonly ItemResult[];
  /** Ids that the reply names and the request did not. */
  readonly strangers: readonly string[];
}

/**
 * What a reply says of each record of its request. It names them by id, or is a list in the order of the request. Only a
 * literal `true` is success; of a record that is not mentioned nothing is known.
 */
export function readReply(records: readonly BulkRecord[], reply: unknown): ReadReply {
  if (Array.isArray(reply)) {
    return { items: records.map((record, at) => itemResult(record, reply[at])), strangers: [] };
  }
  const byId = new Map<string, unknown>(typeof reply === 'object' && reply !== null ? Object.entries(reply) : []);
  const items = records.map((record) => itemResult(record, byId.get(record.id)));
  for (const { id } of records) byId.delete(id);
  return { items, strangers: [...byId.keys()] };
}

/** What a reply with one result for all the records of its request says of each. */
export function readWholeReply(records: readonly BulkRecord[], reply: unknown): ReadReply {
  return { items: records.map((record) => itemResult(record, reply)), strangers: [] };
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
