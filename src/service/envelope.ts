import { HTTP_STATUS } from '../catalog/statuses.ts';
import { Refusal } from './refusal.ts';
import { StoreFailure } from './store/store-failure.ts';

/** What a handler gives back: `data`, and fields that stand beside it in the `result`, such as a page token. */
export interface Reply<Data> {
  readonly data: Data;
  readonly siblings?: Readonly<Record<string, unknown>>;
}

/** What a request is answered with: a status of HTTP and JSON. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  /** The error behind the answer where it concerns the store: callers in the same process get it instead. */
  readonly failure?: StoreFailure;
}

/** The header of every answer that says what its body is. */
export const ANSWER_TYPE = 'application/json';

export function success(message: string, { data, siblings }: Reply<unknown>): Answer {
  return { status: 200, body: JSON.stringify({ result: { status: 'success', message, data, ...siblings } }) };
}

/** Any thrown value as an answer. Unexpected errors are not described to callers. */
export function failure(error: unknown): Answer {
  if (error instanceof StoreFailure) return { ...failure(error.refusal), failure: error };
  const { status, message, details } = error instanceof Refusal ? error : new Refusal('INTERNAL', 'Internal error');
  return { status: HTTP_STATUS[status], body: JSON.stringify({ error: { message, status, details } }) };
}
