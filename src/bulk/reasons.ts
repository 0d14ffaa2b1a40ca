import type { Item } from './journal/items.ts';
import type { PlaceOf, RecordPlace } from './record-place.ts';

/** Records that did not succeed for one reason. */
export interface Reason {
  readonly status: 'failed' | 'unknown';
  /** A record's own id in it is left out, since it is the same reason for all. */
  readonly message: string | null;
  readonly code: string | null;
  readonly count: number;
  readonly examples: readonly Example[];
}

export interface Example extends RecordPlace {
  readonly id: string;
}

/** Why records did not succeed, the most frequent reason first. */
export interface Reasons {
  readonly most: readonly Reason[];
  /** Records with other reasons. */
  readonly others: number;
}

/** Reasons that are told apart: a service whose messages are all different must not fill the memory. */
const MOST_REASONS = 200;
const MOST_TOLD = 20;
const MOST_EXAMPLES = 3;

/** Why records did not succeed, the most frequent reason first, and how many records had other reasons. */
export function reasonsOf(items: Iterable<Item>, place: PlaceOf): Reasons {
  const known = new Map<string, Reason & { count: number; examples: Example[] }>();
  let others = 0;
  for (const { at, id, line, status: found, message: said, code } of items) {
    const status = found === 'failed' ? 'failed' : 'unknown';
    const message = said === null ? null : withoutId(said, id);
    const key = JSON.stringify([status, message, code]);
    const reason = known.get(key) ?? { status, message, code, count: 0, examples: [] };
    if (!known.has(key) && known.size >= MOST_REASONS) {
      others += 1;
      continue;
    }
    known.set(key, reason);
    reason.count += 1;
    if (reason.examples.length < MOST_EXAMPLES) reason.examples.push({ id, ...place(at, line) });
  }
  const ordered = [...known.values()].toSorted((one, other) => other.count - one.count);
  const rest = ordered.slice(MOST_TOLD).reduce((sum, { count }) => sum + count, others);
  return { most: ordered.slice(0, MOST_TOLD), others: rest };
}

/** An id inside a word is no mention of it. */
function withoutId(message: string, id: string): string {
  if (!id || !message.includes(id)) return message;
  const escaped = id.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
  return message.replace(new RegExp(String.raw`(?<![\p{L}\p{N}_])${escaped}(?![\p{L}\p{N}_])`, 'gu'), '(id)');
}
