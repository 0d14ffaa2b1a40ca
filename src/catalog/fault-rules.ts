import type { Status } from './statuses.ts';

export const DELIVERY = 'delivery';

/**
 * A rule that makes requests or deliveries fail: `on` selects them, at most one schedule counts
 * them, and one effect applies.
 */
interface Rule<Delay> {
  readonly name?: string | undefined;
  /** Name of an operation, `*` for all of them, or `delivery` for attempts to deliver a webhook. */
  readonly on: string;
  readonly org?: string | undefined;
  /** Schedule: share of the requests, from 0 to 1. */
  readonly share?: number | undefined;
  /** Schedule: only this request, counted from 1. */
  readonly nth?: number | undefined;
  /** Schedule: each request whose number is a multiple. */
  readonly every?: number | undefined;
  /** Schedule: the first requests. */
  readonly times?: number | undefined;
  /** Effect: error status of the response. */
  readonly status?: Status | undefined;
  /** Effect: median and 99th percentile of a delay. */
  readonly delay?: { readonly p50: Delay; readonly p99: Delay } | undefined;
  /** Effect: closes the connection before the operation runs, or after it. */
  readonly drop?: 'before' | 'after' | undefined;
  /** Effect: share of the response that is sent. */
  readonly cut?: number | undefined;
  /** Effect: share of the records that fail. */
  readonly items?: number | undefined;
}

/** A rule as written by users. Durations are numbers of milliseconds, or texts such as `200ms`. */
export type FaultRuleInput = Rule<number | string>;

export interface FaultFileInput {
  /** Makes a run repeatable (default: 1). */
  readonly seed?: number;
  /** The first rule that applies to a request determines its fault. */
  readonly faults: readonly FaultRuleInput[];
}

/** A rule with durations in milliseconds. */
export type FaultRule = Rule<number> & { readonly name: string };

export interface FaultFile {
  readonly seed: number;
  readonly faults: readonly FaultRule[];
}
