import { DELIVERY } from '../../../catalog/fault-rules.ts';
import { HTTP_STATUS } from '../../../catalog/statuses.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { valueAt } from '../../../kernel/field-path.ts';
import { isObject, tryParseJson } from '../../../kernel/json.ts';
import { RECEIVER_TIMEOUT } from '../../../webhooks/form.ts';
import { findOrganizationId } from '../../calls/body.ts';
import { failureResponse, type ServiceResponse } from '../../calls/envelope.ts';
import { type AttemptResult, classifyStatus } from '../../deliveries/http-sender.ts';
import type { ExecutableOperation } from '../../handlers/index.ts';
import { Refusal } from '../../store/refusal.ts';
import type { RequestFile } from '../requests/request-file.ts';
import type { DevelopmentState } from '../state.ts';
import { type ChosenFault, type FaultTarget, sampleDelay, selectFailing } from './choose-fault.ts';
import type { StoredFaults } from './fault-control.ts';

interface InjectorDependencies {
  readonly development: DevelopmentState;
  readonly openFile: () => Promise<RequestFile>;
  readonly clock: Clock;
  /** Receives errors of the file, after which requests are not counted. */
  readonly report?: ((error: unknown) => void) | undefined;
}

/** Applies fault rules to requests and delivery attempts. */
export interface FaultInjector {
  readonly handle: (
    request: { readonly executable: ExecutableOperation; readonly data: unknown },
    perform: (executable: ExecutableOperation) => Promise<ServiceResponse>,
    onFault: (name: string) => void,
  ) => Promise<ServiceResponse>;
  readonly attempt: (payload: string, send: () => Promise<AttemptResult>) => Promise<AttemptResult>;
  readonly close: () => void;
}

/**
 * Creates the functions that apply the rules of a store to requests and delivery attempts. Loads
 * the code only if needed.
 */
export function createFaultInjector({
  development,
  openFile,
  clock,
  report,
}: InjectorDependencies): FaultInjector {
  const closing = new AbortController();
  const sleep = (milliseconds: number) =>
    clock.sleep(milliseconds, closing.signal).catch(() => undefined);
  let generation: string | undefined;
  const choose = async (value: unknown, target: FaultTarget) => {
    const { chooseFault } = await import('./choose-fault.ts');
    const stored = value as StoredFaults;
    try {
      const file = await openFile();
      if (generation !== stored.generation) file.deleteOtherCounts(stored.generation);
      generation = stored.generation;
      return chooseFault(stored, target, (rule) => file.count(stored.generation, rule));
    } catch (error) {
      report?.(error);
      return chooseFault(stored, target, () => Number.NaN);
    }
  };
  return {
    /**
     * Handles a request. `perform` runs the operation and commits its writes. `onFault` receives
     * the name of the rule.
     */
    handle: async (
      { executable, data }: { readonly executable: ExecutableOperation; readonly data: unknown },
      perform: (executable: ExecutableOperation) => Promise<ServiceResponse>,
      onFault: (name: string) => void,
    ): Promise<ServiceResponse> => {
      const { faults } = await development.current();
      if (faults === undefined) return perform(executable);
      const { name, operation } = executable;
      const hasRecords = operation.bulk?.field !== undefined;
      const chosen = await choose(faults, {
        operation: name,
        org: findOrganizationId(data),
        hasRecords,
      });
      if (!chosen) return perform(executable);
      onFault(chosen.rule.name);
      return performWithFault(chosen, executable, perform, sleep);
    },
    attempt: async (
      payload: string,
      send: () => Promise<AttemptResult>,
    ): Promise<AttemptResult> => {
      // The engine records an attempt even if the rules cannot be read.
      const { faults } = await Promise.resolve(development.current()).catch(
        () => development.known,
      );
      if (faults === undefined) return send();
      const body = tryParseJson(payload);
      const org = METADATA_PATHS.map((path) => findOrganizationId(valueAt(body, path))).find(
        (id) => id !== undefined,
      );
      const chosen = await choose(faults, { operation: DELIVERY, org, hasRecords: false });
      return chosen ? attemptWithFault(chosen, send, sleep) : send();
    },
    close: () => closing.abort(),
  };
}

/**
 * Paths to the object that contains the organization, in the payloads of basic and advanced
 * webhooks.
 */
const METADATA_PATHS = [['metadata'], ['data', 'metadata', 'organization']];

type Sleep = (milliseconds: number) => Promise<void>;

/** Handles a request with a fault. `perform` runs the operation and commits its writes. */
async function performWithFault(
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
async function attemptWithFault(
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
