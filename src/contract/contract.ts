import type { OperationName } from '../catalog/index.ts';

/** Version of the file format. */
export const CONTRACT_VERSION = 1;
export const DEFAULT_CONTRACT_FILE = 'contract.json';

/**
 * How the body of a response is wrapped.
 * - `result`: `{"result": {…}}`
 * - `error`: `{"error": {…}}`
 * - `bare`: the content of `result` without the wrapper
 * - `data`: the data alone
 * - `none`: a body that is not JSON, or JSON without a known form
 */
export const ENVELOPES = ['result', 'error', 'bare', 'data', 'none'] as const;
export type Envelope = (typeof ENVELOPES)[number];

/** Types that a field had, sorted and joined: `null | string`. */
export type FieldTypes = string;

/** How a paged list ends. Page sizes are numbers of records. */
export interface PageBehavior {
  /** Forms of the cursor on a last page: `absent`, `null`, `empty`, `string`. */
  readonly lastCursor: readonly string[];
  /** Types of the cursor on the other pages. */
  readonly nextCursor: readonly string[];
  readonly largestPage: number;
}

/**
 * The common shape of all responses of one outcome of an operation. Contains no values: only names
 * of fields that the service defines, types, and values that the API names.
 */
export interface Outcome {
  readonly http: number;
  readonly envelope: Envelope;
  /** The `status` of the error or the result: `success`, `NOT_FOUND`. */
  readonly status: string | null;
  /** Number of responses. */
  readonly seen: number;
  /** Number of responses whose fields were examined: a fast job examines only some of them. */
  readonly examined: number;
  /** Messages with IDs, names, and numbers replaced. */
  readonly messages: readonly string[];
  /** Names of response headers about rate limits and retries. */
  readonly headers: readonly string[];
  /**
   * Fields that were present whenever their parent was. Paths start at the content of the envelope:
   * `[]` stands for every item of a list, and `*` for every key of a map by ID.
   */
  readonly always: Readonly<Record<string, FieldTypes>>;
  readonly sometimes: Readonly<Record<string, FieldTypes>>;
  /** Values that the API names, by path. Any other value is `(other)`. */
  readonly values: Readonly<Record<string, readonly string[]>>;
  readonly pages?: PageBehavior;
  /** States of one migration in the order in which they were seen: `pending > completed`. */
  readonly sequences?: readonly string[];
}

/** The shapes of recorded exchanges, by operation. */
export interface Contract {
  readonly operations: ReadonlyMap<OperationName, readonly Outcome[]>;
  /** Number of exchanges on paths that are not operations of the API. */
  readonly otherPaths: number;
}

export const EMPTY_CONTRACT: Contract = { operations: new Map(), otherPaths: 0 };

/** Identifies an outcome of an operation. */
export function outcomeKey({
  http,
  envelope,
  status,
}: Pick<Outcome, 'http' | 'envelope' | 'status'>): string {
  return JSON.stringify([http, envelope, status]);
}

export function formatOutcome({ http, status }: Pick<Outcome, 'http' | 'status'>): string {
  return status === null ? String(http) : `${http} ${status}`;
}
