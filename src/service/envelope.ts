import { HTTP_STATUS } from '../catalog/statuses.ts';
import { ServiceError } from './errors.ts';

/** What a handler gives back: `data`, and fields that stand beside it in the `result`, such as a page token. */
export interface Reply<Data> {
  readonly data: Data;
  readonly siblings?: Readonly<Record<string, unknown>>;
}

export function success(message: string, { data, siblings }: Reply<unknown>): Response {
  return json(200, { result: { status: 'success', message, data, ...siblings } });
}

/** Any thrown value as an answer. What is no `ServiceError` says nothing about itself. */
export function failure(error: unknown): Response {
  const { status, message, details } =
    error instanceof ServiceError ? error : new ServiceError('INTERNAL', 'Internal error');
  return json(HTTP_STATUS[status], { error: { message, status, details } });
}

function json(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
}
