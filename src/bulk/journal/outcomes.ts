import type { InputFormat } from '../../catalog/bulk-options.ts';

/**
 * Consecutive records of a batch, from `first` to `last` inclusive. The range may contain skipped
 * records.
 */
export interface RecordRange {
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

export interface SentBatch extends RecordRange {
  readonly settled: boolean;
  readonly sends: number;
  readonly requests: number;
  readonly retries: number;
}

export interface UnsuccessfulRecord {
  readonly at: number;
  readonly id: string;
  readonly line: number | null;
  /** `open`: unknown, in a batch that a resume sends again. */
  readonly status: 'failed' | 'unknown' | 'open';
  readonly message: string | null;
  readonly code: string | null;
}

/** Maximum length of a stored message, to limit the size of the journal. */
const MAX_MESSAGE_LENGTH = 1_000;

/** Makes texts storable: SQLite stores UTF-8, which cannot represent lone surrogates. */
export function toStorable({
  id,
  message,
  code,
  ...others
}: UnsuccessfulRecord): UnsuccessfulRecord {
  const shortened = message?.slice(0, MAX_MESSAGE_LENGTH).toWellFormed() ?? null;
  return {
    ...others,
    id: id.toWellFormed(),
    message: shortened,
    code: code?.toWellFormed() ?? null,
  };
}

/** The outcome of an organization's records. */
export interface OrganizationCounts {
  readonly id: string;
  readonly total: number;
  readonly succeeded: number;
  readonly failed: number;
  /**
   * Whether the organization did not exist before the job, or was not seen before on this machine.
   * Absent in journals of earlier versions.
   */
  readonly new?: boolean;
}

export interface ExistingCounts {
  readonly existing: number;
  readonly updated: number;
  readonly unchanged: number;
  /** Existing records by organization, for the first organizations that records name. */
  readonly organizations?: Readonly<Record<string, number>>;
}

export const NO_EXISTING: ExistingCounts = { existing: 0, updated: 0, unchanged: 0 };

/** State of a rejects file after the job wrote it, to detect later edits. */
export interface WrittenRejects {
  readonly path: string;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
  /** The file's format. Absent in journals of earlier versions. */
  readonly format?: InputFormat;
  readonly isAnew?: boolean;
  /** The encoding to read the file with, if svc cannot detect it. */
  readonly encoding?: string;
  /**
   * Whether it is a file that can be read back, with the reasons in a second file. Absent in
   * journals of earlier versions.
   */
  readonly isRegular?: boolean;
}

/** The results that earlier runs of a job wrote. */
export interface SavedResults {
  /** Size up to the last line of a settled batch; later bytes are written again. */
  readonly bytes: number;
  /** Whether they wait in the job's folder, because their path has older results. */
  readonly isStaged?: boolean;
  /** Device, inode, and creation time of the results file. Absent in journals of earlier versions. */
  readonly file?: string;
}
