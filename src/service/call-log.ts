import { isObject } from '../kernel/is-object.ts';
import { type HandlerResult, HEALTHY, type ServiceResponse } from './envelope.ts';
import type { RequestHandler, ServiceRequest } from './request.ts';
import type { ExecutableOperation } from './routes.ts';

/** A call that the service has handled, for a log. */
export interface HandledCall {
  readonly method: string;
  /** The request target as sent. */
  readonly target: string;
  /** Undefined if the request was rejected before its operation was known. */
  readonly operation: HandledOperation | undefined;
  readonly status: number;
  /** `error.status` of the response; undefined if the call succeeded. */
  readonly error: string | undefined;
  readonly milliseconds: number;
}

export interface HandledOperation {
  readonly name: string;
  /** The command without `svc`: `users add`. */
  readonly command: string;
  /** Records that a bulk call sent, or that a list call returned; undefined for other calls. */
  readonly records?: number | undefined;
  /** Records of a successful bulk call that failed. */
  readonly failed?: number;
}

/** Receives the operation of the current call, first without and then with its records. */
export type OperationReceiver = (operation: HandledOperation) => void;

/** Creates a handler that reports each call except health checks. */
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

/** Describes an operation with the number of records in its input or its result. */
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
    failed: bulk && isObject(data) ? Object.values(data).filter(isFailure).length : 0,
  };
}

function isFailure(result: unknown): boolean {
  return isObject(result) && result['success'] === false;
}
