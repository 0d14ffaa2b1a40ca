/** A request as `--dry-run` shows it, its secrets masked. */
export interface PlannedRequest {
  readonly method: 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/**
 * What happens during a call, for `--verbose`, `--debug` and the countdown of a wait. Texts are redacted; `request`,
 * `url` and `body` are worked out when read, so that who doesn't show them doesn't pay for them.
 */
export type CallEvent =
  | { readonly kind: 'request'; readonly attempt: number; readonly request: PlannedRequest }
  | {
      readonly kind: 'reply';
      readonly attempt: number;
      readonly url: string;
      readonly httpStatus: number;
      readonly milliseconds: number;
      readonly body: string;
    }
  | { readonly kind: 'retry'; readonly attempt: number; readonly inMilliseconds: number; readonly reason: string }
  /** No answer came, and looking showed that the write was applied. */
  | { readonly kind: 'settled'; readonly message: string }
  | { readonly kind: 'waiting'; readonly untilEpoch: number; readonly reason: string };
