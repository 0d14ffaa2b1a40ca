import type { SvcError } from '../kernel/errors.ts';
import type { Block } from './batches.ts';
import type { MeasuredRequest } from './journal/metrics.ts';
import type { RequestOutcome } from './limiter/outcome.ts';

/** What came of one request: what it took, and what it says of its records. */
export type BatchOutcome = RequestOutcome &
  MeasuredRequest &
  (
    | {
        /** The service says of each record what became of it: by id, or as a list in the order of the request. */
        readonly kind: 'answered';
        readonly reply: unknown;
        /** An attempt before may have been applied. */
        readonly unsettled?: boolean;
      }
    /** The service says of each record that it succeeded. */
    | { readonly kind: 'confirmed' }
    /** The service says one thing of all records together. */
    | { readonly kind: 'answered_whole'; readonly reply: unknown }
    /** Nothing of it was applied, because of what it holds. Others may fare better. */
    | {
        readonly kind: 'refused';
        readonly error: SvcError;
        /** What is wrong with which record, by its place in the request, where the service says so. */
        readonly named?: ReadonlyMap<number, string>;
        /** It was too large, so that parts of it may all be taken. */
        readonly tooLarge?: boolean;
      }
    /** It may have been applied, wholly, in part or not at all. */
    | {
        readonly kind: 'unknown';
        readonly error: SvcError;
        /** The service itself failed at it, perhaps because of one record; otherwise the way to it is to blame. */
        readonly by: 'service' | 'way';
        /** When the same records may be sent again: later in this run, when the job is resumed, or never. */
        readonly again: 'now' | 'resumed' | 'never';
      }
    /** Nothing of it was applied, and no other request would fare better. */
    | { readonly kind: 'hopeless'; readonly error: SvcError }
  );

/** A part of a request that the service failed at is not repeated when it fails at that too. */
export type RequestKind = 'new' | 'part';

/** Sends one request. */
export type SendBatch = (batch: Block, kind: RequestKind) => Promise<BatchOutcome>;

/** Why a job ends early. */
export type Stop =
  | { readonly why: 'signal'; readonly reason: unknown }
  | { readonly why: 'errors' }
  | { readonly why: 'hopeless'; readonly error: SvcError }
  /** The input could not be read on, or what came of it not be written down. */
  | { readonly why: 'broken'; readonly error: SvcError };
