import { DELIVERY, type FaultFile, type FaultRule } from '../../../catalog/fault-rules.ts';
import { HTTP_STATUS } from '../../../catalog/statuses.ts';
import { isObject } from '../../../kernel/json.ts';
import { RECEIVER_TIMEOUT } from '../../../webhooks/form.ts';
import { failureResponse, type ServiceResponse } from '../../calls/envelope.ts';
import { type AttemptResult, classifyStatus } from '../../deliveries/http-sender.ts';
import type { ExecutableOperation } from '../../handlers/index.ts';
import { Refusal } from '../../store/refusal.ts';

export interface FaultTarget {
  readonly operation: string;
  readonly org?: string | undefined;
  readonly hasRecords: boolean;
}

interface ChosenFault {
  readonly rule: FaultRule;
  /**
   * Returns a number in [0, 1) that depends only on the seed, the rule, the number of the request,
   * and `index`.
   */
  readonly draw: (index: number) => number;
}

/**
 * Returns the first rule that applies. Rules don't count requests that an earlier rule applies to.
 * @param count counts a request for a rule, and returns the new count
 */
export function chooseFault(
  { seed, faults }: FaultFile,
  target: FaultTarget,
  count: (rule: number) => number,
): ChosenFault | undefined {
  for (const [at, rule] of faults.entries()) {
    if (!matchesTarget(rule, target)) continue;
    const number = count(at);
    const draw = (index: number) => drawNumber(seed, at, number, index);
    if (isDue(rule, number, draw)) return { rule, draw };
  }
  return undefined;
}

function matchesTarget({ on, org, items }: FaultRule, target: FaultTarget): boolean {
  if (on === '*' ? target.operation === DELIVERY : on !== target.operation) return false;
  return (org === undefined || org === target.org) && (items === undefined || target.hasRecords);
}

const SCHEDULE_DRAW = 0;

function isDue(
  { share, nth, every, times }: FaultRule,
  number: number,
  draw: ChosenFault['draw'],
): boolean {
  if (share !== undefined) return draw(SCHEDULE_DRAW) < share;
  if (nth !== undefined) return number === nth;
  if (every !== undefined) return number % every === 0;
  return times === undefined || number <= times;
}

/** Hashes whole numbers to a number in [0, 1), with the finalizer of MurmurHash3. */
export function drawNumber(...values: readonly number[]): number {
  let hash = 0;
  for (const value of values) {
    hash = (hash + value + 0x9e3779b9) | 0;
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    hash ^= hash >>> 16;
  }
  return (hash >>> 0) / 2 ** 32;
}

/** The 99th percentile of the standard normal distribution. */
const Z99 = 2.3263;

/**
 * Returns a delay in milliseconds from a log-normal distribution with the percentiles of the rule.
 */
export function sampleDelay(
  { p50, p99 }: NonNullable<FaultRule['delay']>,
  draw: ChosenFault['draw'],
): number {
  const normal = Math.sqrt(-2 * Math.log(1 - draw(1))) * Math.cos(2 * Math.PI * draw(2));
  // A median of 0 has no logarithm.
  if (p50 === 0) return normal > Z99 ? p99 : 0;
  return p50 * (p99 / p50) ** (Math.min(normal, 2 * Z99) / Z99);
}

/**
 * Selects the positions of the records that fail. Rounds their number up or down at random to match
 * the share on average.
 */
export function selectFailing(
  share: number,
  records: number,
  draw: ChosenFault['draw'],
): ReadonlySet<number> {
  const exact = share * records;
  const failing = Math.floor(exact) + (draw(1) < exact % 1 ? 1 : 0);
  const positions = Array.from({ length: records }, (_, at) => at);
  return new Set(positions.toSorted((a, b) => draw(a + 2) - draw(b + 2)).slice(0, failing));
}

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
