import type { SvcError } from '../kernel/errors.ts';
import type { RecordList } from './batches.ts';
import type { MeasuredRequest } from './journal/metrics.ts';
import type { RequestTiming } from './limiter/adaptive-limit.ts';

export type BatchRequestOutcome = RequestTiming &
  MeasuredRequest &
  (
    | {
        /**
         * The response has a result for each record: by ID, or as a list in the order of the
         * request.
         */
        readonly kind: 'answered';
        readonly response: unknown;
        readonly unsettled?: boolean;
      }
    | { readonly kind: 'confirmed' }
    | { readonly kind: 'answered_together'; readonly response: unknown }
    /** The service applied nothing because of the request's content. Other requests may succeed. */
    | {
        readonly kind: 'refused';
        readonly error: SvcError;
        /**
         * Error messages by the record's index in the request, if the service names the invalid
         * records.
         */
        readonly invalidRecords?: ReadonlyMap<number, string>;
        readonly tooLarge?: boolean;
        /** Whether a proxy refused the request, so that the service may have applied it. */
        readonly unsettled?: boolean;
      }
    /** The service may have applied the request in full, in part, or not at all. */
    | {
        readonly kind: 'unknown';
        readonly error: SvcError;
        /**
         * Source of the failure: the service, perhaps because of one record, the connection, or a
         * proxy, to which the client has already sent the request again until the time was up.
         */
        readonly by: 'service' | 'connection' | 'proxy';
        /** When the records may be sent again: in this run, when the job is resumed, or never. */
        readonly resend: 'now' | 'resumed' | 'never';
      }
    /** The service applied nothing, and every other request would fail as well. */
    | { readonly kind: 'fatal'; readonly error: SvcError }
  );

/**
 * `part`: records of a request that failed with an internal error. Another internal error is not
 * retried.
 */
export type RequestKind = 'new' | 'part';
export type SendBatchRequest = (
  batch: RecordList,
  kind: RequestKind,
) => Promise<BatchRequestOutcome>;

export type StopReason =
  | { readonly kind: 'signal'; readonly reason: unknown }
  | { readonly kind: 'errors' }
  | { readonly kind: 'fatal'; readonly error: SvcError }
  /** The input could not be read, or an outcome could not be written. */
  | { readonly kind: 'broken'; readonly error: SvcError };
