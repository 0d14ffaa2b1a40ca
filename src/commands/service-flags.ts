import type { ConnectionFiles } from '../client/target.ts';
import {
  commandLineOf,
  Hint,
  type NextStep,
  type StepKind,
  type SvcError,
  step,
} from '../kernel/errors.ts';
import type { GlobalOptions } from './context.ts';
import { optionalProperty } from './options.ts';

export type ServiceFlags = Pick<GlobalOptions, 'local'> &
  Partial<Pick<GlobalOptions, 'profile' | 'store' | 'baseUrl' | 'insecureHttp'>> &
  ConnectionFiles;

function flagWords({
  profile,
  local,
  store,
  baseUrl,
  caFile,
  clientCert,
  clientKey,
  insecureHttp,
}: ServiceFlags): readonly string[] {
  const valuesByFlag = {
    '-p': profile,
    '--store': store,
    '--base-url': baseUrl,
    '--ca-file': caFile,
    '--client-cert': clientCert,
    '--client-key': clientKey,
  };
  const words = Object.entries(valuesByFlag).flatMap(([flag, value]) =>
    value === undefined ? [] : [flag, value],
  );
  return [...(local ? [LOCAL_FLAG] : []), ...words, ...(insecureHttp ? ['--insecure-http'] : [])];
}

/**
 * Returns a command line for the same service: `svc -p prod jobs resume 'a b'`. The words must not
 * be quoted.
 */
export function commandForService(options: ServiceFlags, ...words: readonly string[]): string {
  return commandLineOf(stepForService(options, step('change', ...words)));
}

export function renderHint(options: ServiceFlags, hint: string | Hint): string {
  const complete = addServiceFlags(options, hint);
  return complete instanceof Hint ? complete.format() : complete;
}

export function withServiceFlags(error: SvcError, options: ServiceFlags): SvcError {
  return error.reworded({
    hint: error.structuredHint && addServiceFlags(options, error.structuredHint),
  });
}

export function addServiceFlags(options: ServiceFlags, message: string | Hint): string | Hint {
  return message instanceof Hint
    ? message.withSteps((step) => stepForService(options, step))
    : message;
}

/**
 * Adds the service flags to a step, unless the step has its own service or needs none. A command of
 * the embedded service takes only those that select its data.
 */
export function stepForService(options: ServiceFlags, step: NextStep): NextStep {
  const { flags, kind, command } = step;
  if (flags || kind === 'help') return step;
  const isEmbedded = command.includes(LOCAL_FLAG);
  if (isEmbedded || command[0] === 'local')
    return {
      ...step,
      command: command.filter((word) => word !== LOCAL_FLAG),
      flags: flagWords({
        local: command[0] !== 'local',
        ...optionalProperty('store', options.store),
      }),
    };
  return WITHOUT_SERVICE.has(kind) ? step : { ...step, flags: flagWords(options) };
}

const LOCAL_FLAG = '--local';

const WITHOUT_SERVICE: ReadonlySet<StepKind> = new Set(['help', 'configure', 'inspect']);
/**
 * Identifies the embedded service where other services have a host: in prompts, jobs, and the
 * history.
 */
export const EMBEDDED_SERVICE = 'embedded service';

export const DEFAULT_ADDRESS = { host: '127.0.0.1', port: 7400 };
