/** Measurements of a request that affect the concurrency limit. */
export interface RequestTiming {
  /** Duration, retries and pauses included. */
  readonly milliseconds: number;
  /** Milliseconds of waiting for rate limits. */
  readonly waited?: number;
  /** Whether the service applied a rate limit at least once. */
  readonly limited: boolean;
  /** Whether an attempt got no response or a server error. */
  readonly failed: boolean;
}
