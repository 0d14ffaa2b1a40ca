import { shellWord } from './shell-word.ts';

/**
 * What a hinted command does for whoever runs it.
 * - `help`: shows how a command is called.
 * - `configure`: changes settings on this machine.
 * - `inspect`: shows what is known or kept on this machine. Like the two before, it takes no flags that choose a service.
 * - `list`, `show`: reads from the service what is needed to go on.
 * - `retry`: does the same again.
 * - `resume`: continues what was begun.
 * - `change`: writes something that has to be there first.
 */
export type StepKind = 'help' | 'configure' | 'inspect' | 'list' | 'show' | 'retry' | 'resume' | 'change';

/** A command of svc to run next, as unquoted words. */
export interface NextStep {
  readonly kind: StepKind;
  /** The words behind `svc`, without the flags that choose the service. */
  readonly command: readonly string[];
  /** The flags that choose the service, once they are known. */
  readonly flags?: readonly string[];
  /** What the user has to fill in behind the command: `<name>`. */
  readonly rest?: string;
}

/** The text of a hint in which each command is data, since only the command line knows how svc is called again. */
export class Hint {
  readonly parts: readonly (string | NextStep)[];

  constructor(parts: readonly (string | NextStep)[]) {
    this.parts = parts;
  }

  get steps(): readonly NextStep[] {
    return this.parts.filter((part) => typeof part !== 'string');
  }

  text(commandOf: (step: NextStep) => string = commandLineOf): string {
    return this.parts.map((part) => (typeof part === 'string' ? part : commandOf(part))).join('');
  }

  /** The same hint, with its text and the words of its commands changed. */
  reworded(change: (text: string) => string): Hint {
    return this.#map(change, (step) => ({ ...step, command: step.command.map((word) => change(word)) }));
  }

  /** The same hint, with other commands. */
  withSteps(change: (step: NextStep) => NextStep): Hint {
    return this.#map((text) => text, change);
  }

  #map(ofText: (text: string) => string, ofStep: (step: NextStep) => NextStep): Hint {
    return new Hint(this.parts.map((part) => (typeof part === 'string' ? ofText(part) : ofStep(part))));
  }
}

/** A hint from a template: hint`${step('list', 'jobs', 'list')} shows them`. Hints within a hint become part of it. */
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

/** A step of which the user has to fill in a part, as the text behind it says. */
export function template(kind: StepKind, command: readonly string[], rest: string): NextStep {
  return { kind, command, rest };
}

/** The command line of a step, ready for a shell. */
export function commandLineOf({ flags = [], command, rest }: NextStep): string {
  const words = ['svc', ...flags, ...command].map(shellWord);
  return [...words, ...(rest === undefined ? [] : [rest])].join(' ');
}
