import type { Operation } from '../../../catalog/define.ts';
import { isObject } from '../../../kernel/json.ts';
import { monotonicTime } from '../../../kernel/process.ts';
import { type HandlerResult, HEALTHY, type ServiceResponse } from '../../calls/envelope.ts';
import type { ChunkConsumer, RequestHandler, ServiceRequest } from '../../calls/request.ts';

/** Facts about a call, which are set as they become known. */
export interface CallFacts {
  /** Undefined if the request was rejected before its operation was determined. */
  operation: string | undefined;
  org: string | undefined;
  /** Number of records that a bulk call sent or a list call returned. Undefined for other calls. */
  records: number | undefined;
  failed: number;
  fault: string | undefined;
}

export interface HandledCall extends Readonly<CallFacts> {
  readonly method: string;
  readonly target: string;
  /** HTTP status. Undefined if no response was sent. */
  readonly status: number | undefined;
  readonly error: string | undefined;
  readonly milliseconds: number;
  readonly header: ServiceRequest['header'];
  /** Decodes the body of the request. Empty if it is too large to be logged. */
  readonly requestBody: () => string;
  readonly responseBody: string;
}

export interface CallLog {
  /** Returns whether the log is full and drops the next call. */
  readonly dropIfFull: () => boolean;
  /** Adds a call after its response is created. */
  readonly add: (call: HandledCall) => void;
}

/** Maximum size of a request to log with its body, in bytes. */
const MAX_LOGGED_BODY = 32 * 1024;

/** Logs all calls except for health checks. */
export function withCallLog(
  handle: (request: ServiceRequest, facts?: CallFacts) => Promise<ServiceResponse>,
  log: CallLog,
): RequestHandler {
  return async (request) => {
    if (log.dropIfFull()) return handle(request);
    const { method, target, header } = request;
    const started = monotonicTime();
    const facts: CallFacts = {
      operation: undefined,
      org: undefined,
      records: undefined,
      failed: 0,
      fault: undefined,
    };
    const body = collectBody(request);
    const response = await handle({ ...request, body: body.read }, facts);
    if (response === HEALTHY) return response;
    log.add({
      ...facts,
      method,
      target,
      header,
      status: response.sentShare === 'none' ? undefined : response.status,
      error: response.status === 200 ? undefined : JSON.parse(response.body).error.status,
      milliseconds: monotonicTime() - started,
      requestBody: body.decode,
      responseBody: response.body,
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

export function countRecords(
  { bulk, records: field }: Operation,
  input: Readonly<Record<string, unknown>>,
  { data }: HandlerResult<unknown>,
): Pick<CallFacts, 'records' | 'failed'> {
  const list = bulk?.field ? input[bulk.field] : field && isObject(data) ? data[field] : data;
  return {
    records: Array.isArray(list) ? list.length : undefined,
    failed:
      bulk && isObject(data)
        ? Object.values(data).filter((one) => isObject(one) && one['success'] === false).length
        : 0,
  };
}
