import type { JobDescription } from './journal/job-description.ts';
import type { Journal } from './journal/journal.ts';
import type { ExistingCounts, OrganizationCounts } from './journal/outcomes.ts';
import { createRecordLocator, type LocateRecord, type RecordPosition } from './record-position.ts';

export interface FailureLine extends RecordPosition {
  readonly id: string;
  readonly message: string | null;
  readonly code: string | null;
}

/** The reason that all unsuccessful records of a job have in common. */
export interface SharedReason extends Pick<FailureLine, 'message' | 'code'> {
  /** Present if the records are in one of several files. */
  readonly file?: string;
  /** Null if the records have no lines, or are in several files. */
  readonly firstLine: number | null;
  readonly lastLine: number | null;
}

/**
 * The outcome of a job in JSON output. `total` is the sum of `succeeded`, `failed`, `unknown`, and
 * `skipped`.
 */
export interface BulkSummary {
  readonly operation: string;
  readonly job: string;
  readonly total: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly unknown: number;
  readonly skipped: number;
  /** Succeeded records by effect. Absent if the service treats new and existing records alike. */
  readonly created?: number;
  readonly updated?: number;
  readonly unchanged?: number;
  readonly existing?: number;
  /** Requests sent, including retries. */
  readonly requests: number;
  readonly retries: number;
  readonly seconds: number;
  readonly failures: readonly FailureLine[];
  readonly failuresTruncated: boolean;
  /** Present if at least two records were not successful, all for the same reason. */
  readonly sharedReason?: SharedReason;
  readonly rejects: string | null;
  /** The first organizations, if the records name them. */
  readonly organizations?: readonly OrganizationCounts[];
}

const MAX_FAILURES = 100;

interface JobOutcome
  extends ExistingCounts,
    Pick<
      BulkSummary,
      'succeeded' | 'failed' | 'unknown' | 'requests' | 'retries' | 'seconds' | 'rejects'
    > {
  /** Whether the service rejects existing records. If so, each success created a record. */
  readonly refusesExisting: boolean;
}

/**
 * Summarizes a job, whose journal must be open. Records without an outcome count as skipped. The
 * failed ones of the outcome include the blocked changes of a plan.
 */
export function summarize(
  { operation, job, records, leftOut, inputs }: JobDescription,
  journal: Journal,
  { refusesExisting, rejects, ...outcome }: JobOutcome,
): BulkSummary {
  const { succeeded, failed, unknown, existing, updated, unchanged, requests, retries } = outcome;
  const blocked = journal.getFact('blocked') ?? [];
  const total = records + leftOut + blocked.length;
  const created = succeeded - updated - unchanged;
  const locate = createRecordLocator(inputs);
  const organizations = journal.getFact('organizations');
  const sharedReason = blocked.length === 0 ? findSharedReason(journal, locate) : undefined;
  const listed = journal
    .unsuccessfulRecords()
    .take(MAX_FAILURES)
    .map(({ at, id, line, message, code }) => ({ id, ...locate(at, line), message, code }))
    .toArray();
  const failures = [...listed, ...blocked];
  return {
    operation,
    job,
    total,
    succeeded,
    failed,
    unknown,
    skipped: total - succeeded - failed - unknown,
    ...(refusesExisting && { created, updated, unchanged, existing }),
    requests,
    retries,
    seconds: Math.round(outcome.seconds * 1000) / 1000,
    failures,
    failuresTruncated: failed + unknown > failures.length,
    ...(sharedReason && { sharedReason }),
    rejects,
    ...(organizations && { organizations }),
  };
}

function findSharedReason(journal: Journal, locate: LocateRecord): SharedReason | undefined {
  let shared: SharedReason | undefined;
  let count = 0;
  for (const { at, line: given, message, code } of journal.unsuccessfulRecords()) {
    const { file, line } = locate(at, given);
    count += 1;
    if (!shared) {
      shared = {
        message,
        code,
        ...(file !== undefined && { file }),
        firstLine: line,
        lastLine: line,
      };
      continue;
    }
    if (message !== shared.message || code !== shared.code) return undefined;
    shared = addPosition(shared, { file, line });
  }
  return count > 1 ? shared : undefined;
}

function addPosition(
  { file: known, firstLine, lastLine, ...reason }: SharedReason,
  { file, line }: { readonly file: string | undefined; readonly line: number | null },
): SharedReason {
  if (file !== known || line === null || firstLine === null || lastLine === null)
    return { ...reason, firstLine: null, lastLine: null };
  return {
    ...reason,
    ...(file !== undefined && { file }),
    firstLine: Math.min(firstLine, line),
    lastLine: Math.max(lastLine, line),
  };
}
