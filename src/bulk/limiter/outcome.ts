/** What came of a request. */
export interface RequestOutcome {
  /** From its start to its outcome, retries and pauses included. */
  readonly milliseconds: number;
  /** How much of that it was held back for rate limits, its own and those of other requests. */
  readonly waited?: number;
  /** The service put it off at least once, because of a rate limit. */
  readonly limited: boolean;
  /** At least one attempt got no answer, or one that says that the service is in trouble. */
  readonly failed: boolean;
}
