/** A place that a new token goes to, opened before there is one. */
export interface Destination {
  /** For messages: `profile 'prod'`, `token.txt`. */
  readonly name: string;
  /** Resolves once the token is safe there. */
  deliver(token: string): Promise<void>;
  /** Undoes the opening; there will be no token. */
  discard(): Promise<void>;
}
