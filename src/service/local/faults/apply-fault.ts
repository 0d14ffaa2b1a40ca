import { HTTP_STATUS } from '../../../catalog/statuses.ts';
import { isObject } from '../../../kernel/json.ts';
import { RECEIVER_TIMEOUT } from '../../../webhooks/form.ts';
import { failureResponse, type ServiceResponse } from '../../calls/envelope.ts';
import { type AttemptResult, classifyStatus } from '../../deliveries/http-sender.ts';
import type { ExecutableOperation } from '../../handlers/index.ts';
import { Refusal } from '../../store/refusal.ts';
import { type ChosenFault, sampleDelay, selectFailing } from './choose-fault.ts';

type Sleep = (milliseconds: number) => Promise<void>;

/** Handles a request with a fault. `perform` runs the operation and commits its writes. */
export async function performWithFault(
  { rule, draw }: ChosenFault,
  executable: ExecutableOperation,
  perform: (executable: ExecutableOperation) => Promise<ServiceResponse>,
  sleep: Sleep,
): Promise<ServiceResponse> {
  const { name, status, delay, drop, cut, items } = rule;
  if (status) return failureResponse(new Refusal(status, describeFault(name)));
  if (drop === 'before')
    return {
      ...failureResponse(new Refusal('UNAVAILABLE', describeFault(name))),
      sentShare: 'none',
    };
  if (delay) await sleep(sampleDelay(delay, draw));
  if (items !== undefined)
    return perform(
      withFailingRecords(executable, name, (records) => selectFailing(items, records, draw)),
    );
  const response = await perform(executable);
  return drop || cut !== undefined
    ? { ...response, sentShare: drop ? 'none' : (cut ?? 1) }
    : response;
}

function describeFault(name: string): string {
  return `Fault '${name}'.`;
}

/** Changes the handler of a bulk operation, so that it doesn't receive the records that fail. */
function withFailingRecords(
  executable: ExecutableOperation,
  name: string,
  select: (records: number) => ReadonlySet<number>,
): ExecutableOperation {
  const { operation, handler } = executable;
  const { field = '', id, bareIds, sharedResult } = operation.bulk ?? { id: '' };
  const failure = { success: false, message: describeFault(name), code: 'fault' };
  return {
    ...executable,
    handler: async (call, input) => {
      const records = input[field];
      if (!Array.isArray(records)) return handler(call, input);
      const failing = select(records.length);
      if (sharedResult) return failing.size > 0 ? { data: failure } : handler(call, input);
      const reply = await handler(call, {
        ...input,
        [field]: records.filter((_, at) => !failing.has(at)),
      });
      const data: Record<string, unknown> = Object.create(null);
      const handled = isObject(reply.data) ? reply.data : {};
      if (typeof handled['success'] !== 'boolean') Object.assign(data, handled);
      else for (const record of records) data[String(bareIds ? record : record[id])] = handled;
      // If an ID occurs twice, the result of the handled record takes precedence.
      for (const at of failing) data[String(bareIds ? records[at] : records[at][id])] ??= failure;
      return { ...reply, data };
    },
  };
}

/**
 * Simulates a receiver that responds to a delivery attempt with an error status, slowly, or not at
 * all.
 */
export async function attemptWithFault(
  { rule, draw }: ChosenFault,
  send: () => Promise<AttemptResult>,
  sleep: Sleep,
): Promise<AttemptResult> {
  const { name, status, delay, drop } = rule;
  const duration = delay ? sampleDelay(delay, draw) : 0;
  const isLate = duration >= RECEIVER_TIMEOUT;
  const code = status ? HTTP_STATUS[status] : null;
  const failure: AttemptResult = {
    status: code,
    error: describeFault(name),
    reason: code === null ? (isLate ? 'timeout' : 'reset') : classifyStatus(code),
    milliseconds: isLate ? RECEIVER_TIMEOUT : 0,
    body: null,
  };
  if (status || drop === 'before') return { ...failure, milliseconds: 0 };
  const [result] = await Promise.all([send(), sleep(Math.min(duration, RECEIVER_TIMEOUT))]);
  return drop || isLate
    ? failure
    : { ...result, milliseconds: Math.round(duration) + (result.milliseconds ?? 0) };
}
