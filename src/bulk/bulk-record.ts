import type { RecordTarget } from './record-targets.ts';

export interface BulkRecord {
  readonly id: string;
  /** Index among all records in the order of sending, from 0. Includes skipped records. */
  readonly index: number;
  readonly line: number | null;
  /** The value to send. May be parsed on each access. */
  readonly value: unknown;
  /** The record in the input's format, with its ID if it was generated. */
  readonly text: string;
  /** The record as one line of JSON, in any input format. */
  readonly jsonLine: string;
  /** The JSON text to send. Equals `text` if the input is JSON and the record is unchanged. */
  readonly json: string;
  /** The target that the record names, if the command does not. All records of a request have the same one. */
  readonly target?: RecordTarget | undefined;
}

/** `existing`: not written, because the service already has a record with this ID. `skipped`: not sent. */
export type RecordStatus = 'succeeded' | 'failed' | 'unknown' | 'existing' | 'skipped';

export interface RecordResult {
  readonly record: BulkRecord;
  readonly status: RecordStatus;
  /** The service's message, or the reason why the record was not sent. */
  readonly message: string | null;
  /** The service's code, such as `already-exists`, or the kind of the failure. */
  readonly code: string | null;
  readonly effect?: 'updated' | 'unchanged';
  /** Whether a resume sends the record again to settle its unknown outcome. */
  readonly open?: true;
}
