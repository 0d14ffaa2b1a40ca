import { DELIVERY } from '../../../catalog/fault-rules.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { valueAt } from '../../../kernel/field-path.ts';
import { tryParseJson } from '../../../kernel/json.ts';
import { findOrganizationId } from '../../calls/body.ts';
import type { ServiceResponse } from '../../calls/envelope.ts';
import type { AttemptResult } from '../../deliveries/http-sender.ts';
import type { ExecutableOperation } from '../../handlers/index.ts';
import type { RequestFile } from '../requests/request-file.ts';
import type { DevelopmentState } from '../state.ts';
import type { FaultTarget } from './apply-fault.ts';
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

const load = () => import('./apply-fault.ts');

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
    const { chooseFault } = await load();
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
      return (await load()).performWithFault(chosen, executable, perform, sleep);
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
      return chosen ? (await load()).attemptWithFault(chosen, send, sleep) : send();
    },
    close: () => closing.abort(),
  };
}

/**
 * Paths to the object that contains the organization, in the payloads of basic and advanced
 * webhooks.
 */
const METADATA_PATHS = [['metadata'], ['data', 'metadata', 'organization']];
