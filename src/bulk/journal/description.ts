import type { Stretch } from '../record-place.ts';
import type { InputFormat } from '../source/record.ts';

/** What a job was begun with: all that a resume needs, and no secrets. */
export interface JobDescription {
  readonly job: string;
  /** By its name in the catalog. */
  readonly operation: string;
  /** The fields of the operation beside its records. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The flags of the command, as it parsed them. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The folder that paths of the options count from. */
  readonly cwd: string;
  readonly target: JobTarget;
  /** At least one, in order. */
  readonly inputs: readonly JobInput[];
  /** Records to send, and records that are left out as duplicates. */
  readonly records: number;
  readonly leftOut: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** Where a job sends to. Who sends has to have the same again when it goes on. */
export interface JobTarget {
  /** The profile's name, where one was used. */
  readonly profile: string | null;
  /** The base URL, or `embedded service`. */
  readonly origin: string;
  /** An id, no secret. Null for the embedded service. */
  readonly apiKey: string | null;
  /** The embedded service's data: a path; null where it is in its usual place, absent where another service is meant. */
  readonly store?: string | null;
  /** The flags that led there, where there were any. */
  readonly flags?: TargetFlags;
}

export interface TargetFlags {
  readonly baseUrl?: string;
  /** An absolute path. */
  readonly caFile?: string;
  readonly insecureHttp?: true;
}

/** A file of records, as it was when they were checked. */
export interface JobInput extends Stretch {
  /** Absolute; of the copy in the job's folder for stdin. */
  readonly path: string;
  /** It is a copy that goes when the job is done. */
  readonly spooled: boolean;
  readonly format: InputFormat;
  readonly bytes: number;
  readonly sha256: string;
}
