import type { WireResponse } from './transport.ts';

/** One request and its response, as sent. Contains secrets and values: never keep it. */
export interface Exchange {
  /** Path of the operation, without the base URL. */
  readonly path: string;
  readonly requestBody: string;
  readonly response: WireResponse;
  /** Whether the response reports success for every record of a batch. */
  readonly confirmed: boolean;
}
