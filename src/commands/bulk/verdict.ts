import type { Stop } from '../../bulk/engine.ts';
import type { BulkSummary } from '../../bulk/summary.ts';
import { SvcError } from '../../kernel/errors.ts';
import { plural } from '../../kernel/plural.ts';

/** How a job came to its end. */
export interface Ending {
  /** One record, for messages: `user`. */
  readonly noun: string;
  readonly stop: Stop | undefined;
  /** Aborted when results could not be written down. */
  readonly broken: AbortSignal;
  /** Aborted when the user ended the run. */
  readonly signal: AbortSignal;
}

/** The error that a finished job ends with, the weightiest where several apply; `undefined` when every record landed. */
export function failureOf(summary: BulkSummary, { noun, stop, broken, signal }: Ending): unknown {
  const { total, failed, unknown, skipped } = summary;
  const of = `of ${total} ${plural(noun)}`;
  const hint = wayOn(summary);
  if (unknown > 0) {
    const [first] = summary.failures.filter(({ code }) => code === 'outcome_unknown');
    const reason = first?.message ? `: ${first.message}` : '';
    return new SvcError('outcome_unknown', `${unknown} ${of} may or may not have been written${reason}`, { hint });
  }
  if (broken.aborted) return broken.reason;
  if (signal.aborted) return interrupted(signal.reason, `${skipped} ${of} not sent`, hint);
  if (stop?.why === 'hopeless') {
    const message = `stopped with ${skipped} ${of} not sent: ${stop.error.message}`;
    return new SvcError('stopped', message, {
      hint,
      cause: stop.error,
      ...(stop.error.status && { status: stop.error.status }),
    });
  }
  if (stop) return new SvcError('stopped', `stopped after ${failed} failed, with ${skipped} ${of} not sent`, { hint });
  return failed > 0 ? new SvcError('some_failed', `${failed} ${of} failed`, { hint }) : undefined;
}

/** The signal's own failure, with what it left undone. */
function interrupted(reason: unknown, undone: string, hint: string): unknown {
  return reason instanceof SvcError ? new SvcError(reason.failure, `${reason.message}, ${undone}`, { hint }) : reason;
}

/** What to do about the records that did not land. */
function wayOn({ rejects, failed, unknown, failures: [first] }: BulkSummary): string {
  if (rejects === null && failed > 0) return 'correct the input and run the command again';
  // The id may have been made up: under another one the record would be written twice.
  if (rejects === null) return `run the command again${first && unknown === 1 ? ` with the same id: ${first.id}` : ''}`;
  if (failed === 0) return `go on with --file ${rejects}`;
  return `correct ${rejects} (reasons: ${rejects}.reasons.ndjson) and run again with --file ${rejects}`;
}
