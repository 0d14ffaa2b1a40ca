import { quoteForShell } from './quote-for-shell.ts';

/**
 * Purpose of a suggested command.
 * - `help`: shows the usage of a command.
 * - `configure`: changes settings on this machine.
 * - `inspect`: shows local data. Like `help` and `configure`, it takes no flags that select a service.
 * - `list`, `show`: read data from the service.
 * - `retry`: runs the same command again, or one that sends the failed records of a job.
 * - `resume`: continues a job.
 * - `change`: creates or changes data that the failed command requires.
 */
export type StepKind = 'help' | 'configure' | 'inspect' | 'list' | 'show' | 'retry' | 'resume' | 'change';

export interface NextStep {
  readonly kind: StepKind;
  /** The words after `svc`, without the flags that select the service. */
  readonly command: readonly string[];
  readonly flags?: readonly string[];
  /** Text after the command for the user to replace: `<name>`. */
  readonly placeholder?: string;
}

/** A hint that stores its commands as data, so that the caller can add the flags that select the same service. */
export class Hint {
  readonly parts: readonly (string | NextStep)[];

  constructor(parts: readonly (string | NextStep)[]) {
    this.parts = parts;
  }

  get steps(): readonly NextStep[] {
    return this.parts.filter((part) => typeof part !== 'string');
  }

  format(commandOf: (step: NextStep) => string = commandLineOf): string {
    return this.parts.map((part) => (typeof part === 'string' ? part : commandOf(part))).join('');
  }

  reworded(change: (text: string) => string): Hint {
    return this.#map(change, (step) => ({ ...step, command: step.command.map((word) => change(word)) }));
  }

  withSteps(change: (step: NextStep) => NextStep): Hint {
    return this.#map((text) => text, change);
  }

  #map(mapText: (text: string) => string, mapStep: (step: NextStep) => NextStep): Hint {
    return new Hint(this.parts.map((part) => (typeof part === 'string' ? mapText(part) : mapStep(part))));
  }
}

/** Template tag that creates a hint: hint`${step('list', 'jobs', 'list')} shows them`. Flattens nested hints. */
export function hint(texts: TemplateStringsArray, ...values: readonly (string | NextStep | Hint)[]): Hint {
  const parts: (string | NextStep)[] = [];
  for (const part of texts.flatMap((text, at) => [text, ...partsOf(values[at] ?? '')])) {
    const last = parts.at(-1);
    if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part;
    else parts.push(part);
  }
  return new Hint(parts);
}

function partsOf(value: string | NextStep | Hint): readonly (string | NextStep)[] {
  return value instanceof Hint ? value.parts : [value];
}

export function step(kind: StepKind, ...command: readonly string[]): NextStep {
  return { kind, command };
}

export function stepWithPlaceholder(kind: StepKind, command: readonly string[], placeholder: string): NextStep {
  return { kind, command, placeholder };
}

export function commandLineOf({ flags = [], command, placeholder }: NextStep): string {
  const words = ['svc', ...flags, ...command].map(quoteForShell);
  return [...words, ...(placeholder === undefined ? [] : [placeholder])].join(' ');
}
