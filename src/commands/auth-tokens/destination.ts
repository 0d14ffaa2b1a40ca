/** A destination of a new token, opened before the reset is sent. */
export interface TokenDestination {
  readonly name: string;
  /** Delivers the token. Resolves once the token is stored durably. */
  deliver(token: string): Promise<void>;
  discard(): Promise<void>;
}
