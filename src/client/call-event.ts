export interface PlannedRequest {
  readonly method: 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Progress of a call. Contains no secrets. Functions compute values that few observers need. */
export type CallEvent =
  | { readonly kind: 'request'; readonly attempt: number; readonly request: () => PlannedRequest }
  | {
      readonly kind: 'response';
      readonly attempt: number;
      readonly url: () => string;
      readonly httpStatus: number;
      readonly milliseconds: number;
      readonly body: () => string;
    }
  | {
      readonly kind: 'retry';
      readonly attempt: number;
      readonly inMilliseconds: number;
      readonly reason: string;
    }
  | { readonly kind: 'settled'; readonly message: string }
  | { readonly kind: 'waiting'; readonly untilEpoch: number; readonly reason: string };
