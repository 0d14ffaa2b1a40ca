import { DELIVERY } from '../../../catalog/faults.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { valueAt } from '../../../kernel/field-path.ts';
import { tryParseJson } from '../../../kernel/try-parse-json.ts';
import { findOrganizationId } from '../../call-log.ts';
import type { AttemptResult } from '../../deliveries/http-sender.ts';
import type { ServiceResponse } from '../../envelope.ts';
import type { ExecutableOperation } from '../../routes.ts';
import type { RequestFile } from '../requests/request-file.ts';
import { attemptWithFault, performWithFault, type Sleep } from './apply-fault.ts';
import { chooseFault, type FaultTarget } from './choose-fault.ts';
import type { StoredFaults } from './fault-control.ts';

export interface InjectorOptions {
  /** Opens the file that counts requests for all processes of this machine. */
  readonly openFile: () => Promise<RequestFile>;
  readonly clock: Clock;
  /** Receives errors of the file. Requests are then not counted. */
  readonly report?: ((error: unknown) => void) | undefined;
}

export type FaultInjector = ReturnType<typeof createFaultInjector>;

/** Applies the rules of a store to requests and to attempts of deliveries. */
export function createFaultInjector({ openFile, clock, report = () => undefined }: InjectorOptions) {
  const openCounters = createCounters(openFile, report);
  const closing = new AbortController();
  const sleep: Sleep = (milliseconds) => clock.sleep(milliseconds, closing.signal).catch(() => undefined);
  const choose = async (value: unknown, target: FaultTarget) => {
    const stored = value as StoredFaults;
    return chooseFault(stored, target, await openCounters(stored.generation));
  };
  return {
    /** Handles a request. `perform` runs an operation and commits its writes. `onFault` receives the name of the rule. */
    handle: async (
      value: unknown,
      { executable, data }: { readonly executable: ExecutableOperation; readonly data: unknown },
      perform: (executable: ExecutableOperation) => Promise<ServiceResponse>,
      onFault?: (name: string) => void,
    ): Promise<ServiceResponse> => {
      const { name, operation } = executable;
      const org = findOrganizationId(data);
      const chosen = await choose(value, { operation: name, org, hasRecords: operation.bulk?.field !== undefined });
      if (!chosen) return perform(executable);
      onFault?.(chosen.rule.name);
      return performWithFault(chosen, executable, perform, sleep);
    },
    /** Makes an attempt to deliver a webhook. */
    attempt: async (value: unknown, payload: string, send: () => Promise<AttemptResult>): Promise<AttemptResult> => {
      const body = tryParseJson(payload);
      const org = METADATA_PATHS.map((path) => findOrganizationId(valueAt(body, path))).find((id) => id !== undefined);
      const chosen = await choose(value, { operation: DELIVERY, org, hasRecords: false });
      return chosen ? attemptWithFault(chosen, send, sleep) : send();
    },
    /** Ends all delays. */
    close: () => closing.abort(),
  };
}

/** Paths of the object with the organization in the payloads of basic and of advanced webhooks. */
const METADATA_PATHS = [['metadata'], ['data', 'metadata', 'organization']];

/** Returns a function that prepares to count requests for the rules of a generation. */
function createCounters(openFile: InjectorOptions['openFile'], report: NonNullable<InjectorOptions['report']>) {
  let opened: { readonly generation: string; readonly file: Promise<RequestFile> } | undefined;
  const prepareFile = async (generation: string) => {
    const file = await openFile();
    file.deleteOtherCounts(generation);
    return file;
  };
  const fail = (error: unknown) => {
    opened = undefined;
    report(error);
    return Number.NaN;
  };
  return async (generation: string): Promise<(rule: number) => number> => {
    if (opened?.generation !== generation) opened = { generation, file: prepareFile(generation) };
    const file = await opened.file.catch(fail);
    return (rule) => {
      try {
        return typeof file === 'number' ? file : file.count(generation, rule);
      } catch (error) {
        return fail(error);
      }
    };
  };
}
