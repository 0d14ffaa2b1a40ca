import { DELIVERY } from '../../../catalog/faults.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { isObject } from '../../../kernel/is-object.ts';
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
  /** Receives errors of the file. Requests are then counted in this process. */
  readonly report?: ((error: unknown) => void) | undefined;
}

export type FaultInjector = ReturnType<typeof createFaultInjector>;

/** Applies the rules of a store to requests and to attempts of deliveries. */
export function createFaultInjector({ openFile, clock, report = () => undefined }: InjectorOptions) {
  const counters = createCounters(openFile, report);
  const closing = new AbortController();
  const sleep: Sleep = (milliseconds) => clock.sleep(milliseconds, closing.signal).catch(() => undefined);
  const choose = async (value: unknown, target: FaultTarget) => {
    const stored = value as StoredFaults;
    return chooseFault(stored, target, await counters.open(stored.generation));
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
      const metadata = isObject(body) && isObject(body['metadata']) ? body['metadata'] : {};
      const org = findOrganizationId(metadata) ?? findOrganizationId(metadata['organization']);
      const chosen = await choose(value, { operation: DELIVERY, org, hasRecords: false });
      return chosen ? attemptWithFault(chosen, send, sleep) : send();
    },
    /** Ends all delays. */
    close: () => closing.abort(),
  };
}

/** Counts requests for each rule, in a file or, if it is not usable, in memory. */
function createCounters(openFile: InjectorOptions['openFile'], report: NonNullable<InjectorOptions['report']>) {
  const counts = new Map<string, number>();
  const prepareFile = async (generation: string) => {
    const file = await openFile();
    file.deleteOtherCounts(generation);
    return file;
  };
  let opened: { readonly generation: string; readonly file: Promise<RequestFile | undefined> } | undefined;
  return {
    /** @returns a function that counts a request for a rule */
    open: async (generation: string): Promise<(rule: number) => number> => {
      if (opened?.generation !== generation) {
        opened = { generation, file: prepareFile(generation).catch((error) => void report(error)) };
      }
      const file = await opened.file;
      return (rule) => {
        try {
          if (file) return file.count(generation, rule);
        } catch (error) {
          report(error);
        }
        const key = `${generation} ${rule}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
        return counts.get(key) ?? 0;
      };
    },
  };
}
