import { HTTP_STATUS } from '../../catalog/statuses.ts';
import { Refusal } from '../store/refusal.ts';
import { StoreFailure } from '../store/store-failure.ts';

export interface HandlerResult<Data> {
  readonly data: Data;
  /** Additional fields of the envelope's `result`, such as a page token. */
  readonly siblings?: Readonly<Record<string, unknown>>;
}

export interface ServiceResponse {
  readonly status: number;
  readonly body: string;
  /** Additional headers, or another content type. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The store's error that caused the response. Callers in the same process get this error instead
   * of the response.
   */
  readonly failure?: StoreFailure;
  /**
   * Share of the body that is sent before the connection is closed, or `none` to send nothing at
   * all.
   */
  readonly sentShare?: number | 'none';
}

export const HEALTHY: ServiceResponse = { status: 200, body: '{"status":"ok"}' };
export const RESPONSE_TYPE = 'application/json';

export function successResponse(
  message: string,
  { data, siblings }: HandlerResult<unknown>,
): ServiceResponse {
  return {
    status: 200,
    body: JSON.stringify({ result: { status: 'success', message, data, ...siblings } }),
  };
}

export function failureResponse(error: unknown): ServiceResponse {
  if (error instanceof StoreFailure) return { ...failureResponse(error.refusal), failure: error };
  const { status, message, details } =
    error instanceof Refusal ? error : new Refusal('INTERNAL', 'Internal error');
  return {
    status: HTTP_STATUS[status],
    body: JSON.stringify({ error: { message, status, details } }),
  };
}
