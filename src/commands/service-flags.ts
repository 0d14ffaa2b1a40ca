import type { SvcError } from '../kernel/errors.ts';
import { Hint, type NextStep, type StepKind } from '../kernel/hint.ts';
import { quoteForShell } from '../kernel/quote-for-shell.ts';
import type { GlobalOptions } from './context.ts';

/** Global flags that select a service and configure the connection to it. */
export type ServiceFlags = Pick<GlobalOptions, 'local'> &
  Partial<Pick<GlobalOptions, 'profile' | 'store' | 'baseUrl' | 'caFile' | 'insecureHttp'>>;

/** Returns the start of a command line for the same service, quoted for a shell: `svc -p prod`. */
export function programCommand(options: ServiceFlags): string {
  return ['svc', ...flagWords(options)].map(quoteForShell).join(' ');
}

function flagWords({ profile, local, store, baseUrl, caFile, insecureHttp }: ServiceFlags): readonly string[] {
  const valued = { '-p': profile, '--store': store, '--base-url': baseUrl, '--ca-file': caFile };
  const words = Object.entries(valued).flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]));
  return [...(local ? ['--local'] : []), ...words, ...(insecureHttp ? ['--insecure-http'] : [])];
}

/** Returns a command line for the same service: `svc -p prod jobs resume 'a b'`. The words must not be quoted. */
export function commandForService(options: ServiceFlags, ...words: readonly string[]): string {
  return [programCommand(options), ...words.map(quoteForShell)].join(' ');
}

/** Formats a hint. Adds the current command's service flags to each command in it. */
export function renderHint(options: ServiceFlags, hint: string | Hint): string {
  return hint instanceof Hint ? hint.withSteps((step) => addServiceFlags(options, step)).format() : hint;
}

/** Adds the current command's service flags to each command in an error's hint. */
export function withServiceFlags(error: SvcError, options: ServiceFlags): SvcError {
  const { structuredHint } = error;
  return structuredHint instanceof Hint
    ? error.reworded({ hint: structuredHint.withSteps((step) => addServiceFlags(options, step)) })
    : error;
}

function addServiceFlags(options: ServiceFlags, step: NextStep): NextStep {
  return WITHOUT_SERVICE.has(step.kind) ? step : { ...step, flags: flagWords(options) };
}

const WITHOUT_SERVICE: ReadonlySet<StepKind> = new Set(['help', 'configure', 'inspect']);
