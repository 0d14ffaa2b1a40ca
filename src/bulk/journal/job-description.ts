import type { InputFormat } from '../../catalog/bulk-options.ts';
import type { ConnectionFiles } from '../../client/target.ts';
import type { Attribution } from '../../kernel/attribution.ts';

/** An input file, and the index of its first record in the whole input. */
export interface FileSpan {
  readonly name: string;
  readonly first: number;
  /** Empty for values in memory, such as the records of `--data`. */
  readonly path?: string;
}

/** The parameters of a job that a resume needs, without secrets. */
export interface JobDescription {
  readonly job: string;
  readonly operation: string;
  /** Input fields of the operation, without the records. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
  readonly cwd: string;
  readonly target: JobTarget;
  readonly inputs: readonly JobInput[];
  /** Number of records to send, and of skipped duplicates. */
  readonly records: number;
  readonly leftOut: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Origin of the job. Absent in jobs of earlier versions. */
  readonly startedBy?: Attribution;
}

/** The service that a job sends to. A resume must use the same one. */
export interface JobTarget {
  readonly profile: string | null;
  /** The base URL, or `embedded service`. */
  readonly origin: string;
  /** The ID of the API key, not its secret. Null for the embedded service. */
  readonly apiKey: string | null;
  /**
   * Path of the embedded service's store; null for the default path, absent for another service.
   */
  readonly store?: string | null;
  readonly flags?: TargetFlags;
}

export interface TargetFlags extends ConnectionFiles {
  readonly baseUrl?: string;
  readonly insecureHttp?: true;
}

export interface JobInput extends FileSpan {
  /** Absolute path. For stdin, the copy in the job's folder. */
  readonly path: string;
  readonly spooled: boolean;
  readonly format: InputFormat;
  readonly bytes: number;
  readonly sha256: string;
}
