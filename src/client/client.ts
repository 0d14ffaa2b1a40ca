import type * as z from 'zod';
import type { Operation } from '../catalog/define.ts';
import type { Clock } from '../kernel/clock.ts';

/** Whom to call and as whom. Header names carry `headerPrefix`. */
export interface Target {
  /** Origin and optional path, without a trailing slash. */
  readonly baseUrl: string;
  readonly headerPrefix: string;
  readonly key?: { readonly apiKey: string; readonly authToken: string };
  readonly workspace?: { readonly workspaceId: string; readonly workspaceAuthToken: string };
}

/** A request as `--dry-run` shows it, its secrets masked. */
export interface PlannedRequest {
  readonly method: 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What happens during a call, for `--verbose`, `--debug` and the countdown of a wait. Texts are redacted. */
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
  | { readonly kind: 'waiting'; readonly untilEpoch: number; readonly reason: string };

export interface ClientOptions {
  readonly target: Target;
  readonly clock: Clock;
  /** Who answers: the network, or an embedded service in this process. */
  readonly fetch: typeof globalThis.fetch;
  /** Milliseconds one attempt may take. */
  readonly attemptTimeout: number;
  /** Milliseconds all waiting for rate limits may take together; 0 never waits. */
  readonly maxWait: number;
  /** Where a planned request goes instead of the service. Given, no request leaves. */
  readonly dryRun?: (request: PlannedRequest) => Promise<void>;
  readonly observe?: (event: CallEvent) => void;
  readonly signal?: AbortSignal;
}

/** A success: `data` as the service sent it (every field kept), and the whole `result` around it. */
export interface Answer<Data> {
  readonly sent: true;
  readonly data: Data;
  readonly result: Readonly<Record<string, unknown>>;
  readonly retries: number;
}

/** What a call gives: an answer, or nothing because it was only planned. */
export type Reply<Data> = Answer<Data> | { readonly sent: false };

export interface Client {
  /**
   * Calls one operation, with retries as its effect allows.
   * @throws SvcError of the kind that the service's `error.status` or the failed transport stands for.
   */
  call<Input extends z.ZodObject, Output extends z.ZodType>(
    operation: Operation<Input, Output>,
    input: z.input<Input>,
  ): Promise<Reply<z.output<Output>>>;
}
