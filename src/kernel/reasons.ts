/** Where a record stands. A line alone says it as long as all of them are in one file. */
export interface RecordPlace {
  /** As messages call it. */
  readonly file?: string;
  /** Null when it was not read from a file. */
  readonly line: number | null;
}

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
