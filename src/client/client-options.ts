import type { InputNaming } from '../catalog/flags.ts';
import type { Clock } from '../kernel/clock.ts';
import type { CallEvent, PlannedRequest } from './call-event.ts';
import type { NetworkPath } from './network-failure.ts';
import type { Target } from './target.ts';
import type { Tracer } from './tracer.ts';
import type { Transport, WireResponse } from './transport.ts';
import type { Protections } from './write-guard.ts';

/** One request and its response, as sent. Contains secrets and values: never keep it. */
export interface Exchange {
  /** Path of the operation, without the base URL. */
  readonly path: string;
  readonly requestBody: string;
  readonly response: WireResponse;
  /** Whether the response reports success for every record of a batch. */
  readonly confirmed: boolean;
}

export interface SharedRateLimit {
  pausedUntil(): number | undefined;
  /**
   * Announces a pause to the other processes. Never throws: a process that misses the pause is rate
   * limited by the service.
   */
  pauseUntil(untilEpoch: number): void;
}

/** Milliseconds to retry requests with which a proxy did not reach the service. */
export interface RetryTimes {
  readonly call: number;
  /** For each request of a job. */
  readonly job: number;
}

export interface ClientOptions extends NetworkPath, Protections {
  readonly target: Target;
  readonly clock: Clock;
  readonly transport: Transport;
  /** Total milliseconds to wait for rate limits; 0 never waits. */
  readonly maxWait: number;
  /** How long to retry while a proxy does not reach the service (default: 10 and 30 seconds). */
  readonly retryTimes?: RetryTimes;
  readonly sharedRateLimit?: SharedRateLimit;
  /** Receives each planned request. If set, no request is sent. */
  readonly dryRun?: (request: PlannedRequest) => Promise<void>;
  readonly observe?: (event: CallEvent) => void;
  /** Receives every exchange, to record its shape. Must not throw. */
  readonly record?: (exchange: Exchange) => void;
  /** Called once, before the first write. Throws if writes are not allowed. */
  readonly beforeWrite?: () => Promise<void>;
  /** Aborts every call with its reason, except batches in flight, which finish. */
  readonly signal?: AbortSignal;
  readonly inputNaming?: InputNaming;
  readonly insecureHttp?: boolean;
  /** Headers to add to each request: a trace to continue. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly tracer?: Tracer | undefined;
  /** Random numbers in [0, 1) for the jitter of retries and pauses (default: `Math.random`). */
  readonly random?: () => number;
}
