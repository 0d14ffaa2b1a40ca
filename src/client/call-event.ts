/** A request as `--dry-run` shows it, with its secrets masked. */
export interface PlannedRequest {
  readonly method: 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/**
 * Progress of a call, for `--verbose`, `--debug`, and the countdown of a wait. Contains no secrets. `request`, `url`, and
 * `body` are computed when read, so that they cost nothing unless they are shown.
 */
export type CallEvent =
  | { readonly kind: 'request'; readonly attempt: number; readonly request: PlannedRequest }
  | {
      readonly kind: 'response';
      readonly attempt: number;
      readonly url: string;
      readonly httpStatus: number;
      readonly milliseconds: number;
      readonly body: string;
    }
  | { readonly kind: 'retry'; readonly attempt: number; readonly inMilliseconds: number; readonly reason: string }
  /** The response was lost, and a lookup showed that the write was applied. */
  | { readonly kind: 'settled'; readonly message: string }
  | { readonly kind: 'waiting'; readonly untilEpoch: number; readonly reason: string };
