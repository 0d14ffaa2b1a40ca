import { isObject } from '../../../kernel/json.ts';
import { monotonicTime } from '../../../kernel/process.ts';
import { type HandlerResult, HEALTHY, type ServiceResponse } from '../../calls/envelope.ts';
import type { ChunkConsumer, RequestHandler, ServiceRequest } from '../../calls/request.ts';
import type { ExecutableOperation } from '../../handlers/routes.ts';

export interface HandledCall {
  readonly method: string;
  readonly target: string;
  /** Undefined if the request was rejected before its operation was determined. */
  readonly operation: HandledOperation | undefined;
  readonly org: string | undefined;
  /** HTTP status. Undefined if no response was sent. */
  readonly status: number | undefined;
  readonly error: string | undefined;
  readonly milliseconds: number;
  readonly fault: string | undefined;
  readonly header: ServiceRequest['header'];
  /** Decodes the body of the request. Empty if it is too large to be logged. */
  readonly requestBody: () => string;
  readonly responseBody: string;
}

export interface HandledOperation {
  readonly name: string;
  readonly command: string;
  /** Number of records that a bulk call sent or a list call returned. Undefined for other calls. */
  readonly records?: number | undefined;
  readonly failed?: number;
}

type CallFacts = { -readonly [Name in 'operation' | 'org' | 'fault']?: HandledCall[Name] };

/**
 * Receives facts about a call as they become known: its operation, then its fault and its number of
 * records.
 */
export type CallObserver = (facts: Readonly<CallFacts>) => void;

/** Maximum size of a request to log with its body, in bytes. */
const MAX_LOGGED_BODY = 32 * 1024;

export function withCallLog(
  handle: (request: ServiceRequest, observe: CallObserver) => Promise<ServiceResponse>,
  report: (call: HandledCall) => void,
): RequestHandler {
  return async (request) => {
    const { method, target, header } = request;
    const started = monotonicTime();
    const facts: CallFacts = {};
    const body = collectBody(request);
    const response = await handle({ method, target, header, body: body.read }, (more) => {
      Object.assign(facts, more);
    });
    if (response === HEALTHY) return response;
    const { operation, org, fault } = facts;
    const error = response.status === 200 ? undefined : JSON.parse(response.body).error.status;
    const status = response.sentShare === 'none' ? undefined : response.status;
    const milliseconds = monotonicTime() - started;
    const bodies = { requestBody: body.decode, responseBody: response.body };
    report({
      method,
      target,
      operation,
      org,
      status,
      error,
      milliseconds,
      fault,
      header,
      ...bodies,
    });
    return response;
  };
}

function collectBody(request: ServiceRequest) {
  const chunks: Uint8Array[] = [];
  let size = 0;
  return {
    read: (consume: ChunkConsumer) =>
      request.body((chunk) => {
        size += chunk.length;
        if (size > MAX_LOGGED_BODY) chunks.length = 0;
        else chunks.push(chunk);
        return consume(chunk);
      }),
    decode: () => Buffer.concat(chunks).toString(),
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
    failed:
      bulk && isObject(data)
        ? Object.values(data).filter((one) => isObject(one) && one['success'] === false).length
        : 0,
  };
}

export function findOrganizationId(data: unknown): string | undefined {
  const id = isObject(data) ? data['organizationId'] : undefined;
  return typeof id === 'string' ? id : undefined;
}
