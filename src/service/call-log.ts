import { isObject } from '../kernel/is-object.ts';
import { type HandlerResult, HEALTHY, type ServiceResponse } from './envelope.ts';
import type { RequestHandler, ServiceRequest } from './request.ts';
import type { ExecutableOperation } from './routes.ts';

export interface HandledCall {
  readonly method: string;
  /** The unmodified request target. */
  readonly target: string;
  /** Undefined if the request was rejected before its operation was determined. */
  readonly operation: HandledOperation | undefined;
  readonly status: number;
  /** `error.status` of the response. Undefined if the call succeeded. */
  readonly error: string | undefined;
  readonly milliseconds: number;
}

export interface HandledOperation {
  readonly name: string;
  /** Command without `svc`: `users add`. */
  readonly command: string;
  /** Number of records that a bulk call sent or a list call returned. Undefined for other calls. */
  readonly records?: number | undefined;
  /** Number of failed records in a successful bulk call. */
  readonly failed?: number;
}

/** Receives the operation of a call. Called again when the number of records is known. */
export type OperationReceiver = (operation: HandledOperation) => void;

export function withCallLog(
  handle: (request: ServiceRequest, onOperation: OperationReceiver) => Promise<ServiceResponse>,
  report: (call: HandledCall) => void,
): RequestHandler {
  return async (request) => {
    const { method, target } = request;
    const started = performance.now();
    let operation: HandledOperation | undefined;
    const response = await handle(request, (handled) => {
      operation = handled;
    });
    if (response === HEALTHY) return response;
    const { status, body } = response;
    const error = status === 200 ? undefined : JSON.parse(body).error.status;
    report({ method, target, operation, status, error, milliseconds: performance.now() - started });
    return response;
  };
}

export function describeOperation({ name, operation }: ExecutableOperation): HandledOperation {
  return { name, command: operation.command.join(' ') };
}

export function describeResult(
  executable: ExecutableOperation,
  input: Readonly<Record<string, unknown>>,
  { data }: HandlerResult<unknown>,
): HandledOperation {
  const { bulk, records: field } = executable.operation;
  const list = bulk?.field ? input[bulk.field] : field && isObject(data) ? data[field] : data;
  return {
    ...describeOperation(executable),
    records: Array.isArray(list) ? list.length : undefined,
    failed: bulk && isObject(data) ? Object.values(data).filter((one) => isObject(one) && one['success'] === false).length : 0,
  };
}
