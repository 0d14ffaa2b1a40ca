/** A record that is ready to be sent: checked, with the id that the reply will name it by. */
export interface BulkRecord {
  readonly id: string;
  /** Its position among the records of the input, from 0; those that are left out count too. */
  readonly index: number;
  /** Its line in the input; null when it was not read from one. */
  readonly line: number | null;
  /** What is sent, parsed. It may be parsed when it is asked for. */
  readonly value: unknown;
  /** The record as the input holds it, with its id where that was made up. */
  readonly text: string;
  /** The same as one line of JSON, whatever it was read from. */
  readonly jsonLine: string;
  /** The JSON text that is sent: `text` itself where the input is JSON and nothing was added or changed. */
  readonly json: string;
}

export type ItemStatus = 'succeeded' | 'failed' | 'unknown' | 'skipped';

/** What became of one record. */
export interface ItemResult {
  readonly record: BulkRecord;
  readonly status: ItemStatus;
  /** The service's words, or why the record was not sent. */
  readonly message: string | null;
  /** `already-exists`, `not-found`, … as the service says it, or the kind of the failure. */
  readonly code: string | null;
  /** Of an unknown one: sending it again is how a resume finds out. */
  readonly open?: true;
}
