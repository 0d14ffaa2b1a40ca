import type { SvcError } from '../kernel/errors.ts';
import { Hint, type NextStep, type StepKind } from '../kernel/hint.ts';
import { shellWord } from '../kernel/shell-word.ts';
import type { GlobalOptions } from './context.ts';

/** The global flags that choose a service, and how it is reached. */
export type ServiceFlags = Pick<GlobalOptions, 'local'> &
  Partial<Pick<GlobalOptions, 'profile' | 'store' | 'baseUrl' | 'caFile' | 'insecureHttp'>>;

/** How svc is called again for the service that this run calls, ready for a shell: `svc -p prod`. */
export function programOf(options: ServiceFlags): string {
  return ['svc', ...flagWords(options)].map(shellWord).join(' ');
}

function flagWords({ profile, local, store, baseUrl, caFile, insecureHttp }: ServiceFlags): readonly string[] {
  const valued = { '-p': profile, '--store': store, '--base-url': baseUrl, '--ca-file': caFile };
  const words = Object.entries(valued).flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]));
  return [...(local ? ['--local'] : []), ...words, ...(insecureHttp ? ['--insecure-http'] : [])];
}

/** A command for the service that this run calls, from its unquoted words: `svc -p prod jobs resume 'a b'`. */
export function hintedCommand(options: ServiceFlags, ...words: readonly string[]): string {
  return [programOf(options), ...words.map(shellWord)].join(' ');
}

/** The text of a hint, with its commands for the service that this run calls. */
export function hintText(options: ServiceFlags, hint: string | Hint): string {
  return hint instanceof Hint ? hint.withSteps((step) => hintedStep(options, step)).text() : hint;
}

/** An error whose hint names its commands for the service that this run calls. */
export function withServiceFlags(error: SvcError, options: ServiceFlags): SvcError {
  const { richHint } = error;
  return richHint instanceof Hint
    ? error.told({ hint: richHint.withSteps((step) => hintedStep(options, step)) })
    : error;
}

function hintedStep(options: ServiceFlags, step: NextStep): NextStep {
  return WITHOUT_SERVICE.has(step.kind) ? step : { ...step, flags: flagWords(options) };
}

const WITHOUT_SERVICE: ReadonlySet<StepKind> = new Set(['help', 'configure', 'inspect']);
