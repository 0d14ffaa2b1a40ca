import type { Stop } from '../../bulk/outcome.ts';
import type { BulkSummary } from '../../bulk/summary.ts';
import { SvcError } from '../../kernel/errors.ts';
import { type Hint, hint, step } from '../../kernel/hint.ts';
import { plural } from '../../kernel/plural.ts';

/** How a run came to its end. */
export interface Ending {
  /** One record, for messages: `user`. */
  readonly noun: string;
  readonly stop: Stop | undefined;
  /** The job has something left to do, and may go on. */
  readonly resumable: boolean;
  /** The command line that sends the rejects, or, where there is no file of them, the same once more. */
  readonly again?: string | undefined;
}

/** The error that a run ends with, the weightiest where several apply; `undefined` when every record landed. */
export function failureOf(summary: BulkSummary, { noun, stop, resumable, again }: Ending): unknown {
  const { total, failed, unknown, skipped } = summary;
  const of = `of ${total} ${total === 1 ? noun : plural(noun)}`;
  const way = resumable ? hint`go on with ${step('resume', 'jobs', 'resume', summary.job)}` : wayOn(summary, again);
  if (unknown > 0) {
    const [first] = summary.failures.filter(({ code }) => code === 'outcome_unknown');
    const reason = first?.message ? `: ${first.message}` : '';
    return new SvcError('outcome_unknown', `${unknown} ${of} may or may not have been written${reason}`, { hint: way });
  }
  const undone = `${skipped} ${of} not sent`;
  switch (stop?.why) {
    case 'broken':
      return skipped > 0 ? withUndone(stop.error, undone, way) : stop.error.told({ hint: way });
    case 'signal':
      return stop.reason instanceof SvcError ? withUndone(stop.reason, undone, way) : stop.reason;
    case 'hopeless':
      if (stop.error.failure === 'local') return withUndone(stop.error, undone, way);
      return new SvcError('stopped', `stopped with ${undone}: ${stop.error.message}`, {
        hint: way,
        cause: stop.error,
        ...(stop.error.status && { status: stop.error.status }),
      });
    case 'errors':
      return new SvcError('stopped', `stopped after ${failed} failed, with ${undone}`, { hint: way });
    case undefined:
      return failed > 0 ? new SvcError('some_failed', `${failed} ${of} failed`, { hint: way }) : undefined;
  }
}

/** The failure itself, with what it left undone. */
function withUndone(error: SvcError, undone: string, way: string | Hint): SvcError {
  return error.told({ message: `${error.message}, ${undone}`, hint: way });
}

/** What to do about the records that did not land. */
function wayOn({ rejects, failed, unknown, failures: [first] }: BulkSummary, again?: string): string {
  if (rejects === null && failed > 0) return 'correct the input and run the command again';
  if (rejects === null && again !== undefined) return `the same again does no harm: ${again}`;
  // The id may have been made up: under another one the record would be written twice.
  if (rejects === null) return `run the command again${first && unknown === 1 ? ` with the same id: ${first.id}` : ''}`;
  const command = again ?? `the same command with --file ${rejects}`;
  if (failed === 0) return `go on with: ${command}`;
  return `correct ${rejects} (reasons: ${rejects}.reasons.ndjson), then run: ${command}`;
}
