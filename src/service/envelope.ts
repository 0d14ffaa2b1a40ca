import { HTTP_STATUS } from '../catalog/statuses.ts';
import { Refusal } from './refusal.ts';
import { StoreFailure } from './store/store-failure.ts';

/** The outcome of a handler: `data`, and further fields of `result`, such as a page token. */
export interface HandlerResult<Data> {
  readonly data: Data;
  readonly siblings?: Readonly<Record<string, unknown>>;
}

/** An HTTP response: a status and a JSON body. */
export interface ServiceResponse {
  readonly status: number;
  readonly body: string;
  /** The store's error behind the response. Callers in the same process receive this error instead of the response. */
  readonly failure?: StoreFailure;
}

/** Response to a health check. */
export const HEALTHY: ServiceResponse = { status: 200, body: '{"status":"ok"}' };

/** Content type of every response. */
export const RESPONSE_TYPE = 'application/json';

export function successResponse(message: string, { data, siblings }: HandlerResult<unknown>): ServiceResponse {
  return { status: 200, body: JSON.stringify({ result: { status: 'success', message, data, ...siblings } }) };
}

/** Converts any thrown value to a response. Details of unexpected errors are not disclosed to callers. */
export function failureResponse(error: unknown): ServiceResponse {
  if (error instanceof StoreFailure) return { ...failureResponse(error.refusal), failure: error };
  const { status, message, details } = error instanceof Refusal ? error : new Refusal('INTERNAL', 'Internal error');
  return { status: HTTP_STATUS[status], body: JSON.stringify({ error: { message, status, details } }) };
}
