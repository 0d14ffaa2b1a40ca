export interface RequestRecord {
  readonly id: number;
  /** Start of the request in real time, RFC 3339. */
  readonly time: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Null if the request was rejected before its operation was determined. */
  readonly operation: string | null;
  readonly org: string | null;
  /** HTTP status, or null if no response was sent. */
  readonly status: number | null;
  /** `error.status` of the response. */
  readonly error: string | null;
  readonly ms: number;
  readonly records: number | null;
  readonly failed: number;
  /** Name of the rule that changed the response. */
  readonly fault: string | null;
}

/** A request with its bodies, without secrets. A body is null if it was empty, not JSON, or too large to be kept. */
export interface RequestDetail extends RequestRecord {
  readonly request: unknown;
  readonly response: unknown;
}
