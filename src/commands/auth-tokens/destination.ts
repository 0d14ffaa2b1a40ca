/** A destination of a new token, opened before the reset is sent. */
export interface TokenDestination {
  /** Name in messages: `profile 'prod'`, `token.txt`. */
  readonly name: string;
  /** Delivers the token. Resolves once the token is stored durably. */
  deliver(token: string): Promise<void>;
  /** Closes the destination. Called if there is no token to deliver. */
  discard(): Promise<void>;
}
