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

/** A command of svc to run next: its words behind `svc`, unquoted, without the flags that choose the service. */
export interface NextStep {
  readonly kind: StepKind;
  readonly command: readonly string[];
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

  text(commandOf: (step: NextStep) => string = plainCommand): string {
    return this.parts.map((part) => (typeof part === 'string' ? part : commandOf(part))).join('');
  }

  /** The same hint, with its text and the words of its commands changed. */
  reworded(change: (text: string) => string): Hint {
    return new Hint(
      this.parts.map((part) =>
        typeof part === 'string' ? change(part) : { ...part, command: part.command.map((word) => change(word)) },
      ),
    );
  }
}

/** A hint from a template: hint`${step('list', 'jobs', 'list')} shows them`. Hints within a hint become part of it. */
export function hint(texts: TemplateStringsArray, ...values: readonly (string | NextStep | Hint)[]): Hint {
  const parts = texts.flatMap((text, at) => {
    const value = values[at];
    if (value === undefined) return [text];
    return [text, ...(value instanceof Hint ? value.parts : [value])];
  });
  return new Hint(parts.filter((part) => part !== ''));
}

export function step(kind: StepKind, ...command: readonly string[]): NextStep {
  return { kind, command };
}

function plainCommand({ command }: NextStep): string {
  return ['svc', ...command].map(shellWord).join(' ');
}
