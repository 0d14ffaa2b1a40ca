import type { UnsuccessfulRecord } from './journal/outcomes.ts';
import type { LocateRecord, RecordPosition } from './record-position.ts';

export interface FailureReason {
  readonly status: 'failed' | 'unknown';
  /** The message, with the record's own ID masked so that equal reasons compare equal. */
  readonly message: string | null;
  readonly code: string | null;
  readonly count: number;
  readonly examples: readonly ReasonExample[];
}

export interface ReasonExample extends RecordPosition {
  readonly id: string;
}

const MAX_DISTINCT_REASONS = 200;
const MAX_LISTED_REASONS = 20;
const MAX_EXAMPLES = 3;

/**
 * Groups unsuccessful records by reason, the most frequent reason first, and counts the records
 * with other reasons.
 */
export function groupByReason(items: Iterable<UnsuccessfulRecord>, locate: LocateRecord) {
  const known = new Map<string, FailureReason & { count: number; examples: ReasonExample[] }>();
  let others = 0;
  for (const { at, id, line, status: found, message: original, code } of items) {
    const status = found === 'failed' ? 'failed' : 'unknown';
    const message = original === null ? null : maskId(original, id);
    const key = JSON.stringify([status, message, code]);
    const reason = known.get(key) ?? { status, message, code, count: 0, examples: [] };
    if (!known.has(key) && known.size >= MAX_DISTINCT_REASONS) {
      others += 1;
      continue;
    }
    known.set(key, reason);
    reason.count += 1;
    if (reason.examples.length < MAX_EXAMPLES) reason.examples.push({ id, ...locate(at, line) });
  }
  const ordered = [...known.values()].toSorted((a, b) => b.count - a.count);
  const rest = ordered.slice(MAX_LISTED_REASONS).reduce((sum, { count }) => sum + count, others);
  const most: readonly FailureReason[] = ordered.slice(0, MAX_LISTED_REASONS);
  return { most, others: rest };
}

/** Masks the ID in a message, but not inside a longer word. */
function maskId(message: string, id: string): string {
  if (!id || !message.includes(id)) return message;
  const escaped = id.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
  return message.replace(
    new RegExp(String.raw`(?<![\p{L}\p{N}_])${escaped}(?![\p{L}\p{N}_])`, 'gu'),
    '(id)',
  );
}
