export interface RequestRecord {
  readonly id: number;
  /** Start of the request in real time, in RFC 3339. */
  readonly time: string;
  readonly method: string;
  /** Path without the query string. */
  readonly path: string;
  /** Null if the request was rejected before its operation was determined. */
  readonly operation: string | null;
  readonly org: string | null;
  /** HTTP status, or null if no response was sent. */
  readonly status: number | null;
  /** Value of `error.status` in the response. */
  readonly error: string | null;
  readonly ms: number;
  readonly records: number | null;
  readonly failed: number;
  readonly fault: string | null;
}

/**
 * A request with its bodies, without secrets. A body is null if it was empty, not JSON, or too
 * large to keep.
 */
export interface RequestDetail extends RequestRecord {
  readonly request: unknown;
  readonly response: unknown;
}
