import type { Environment } from '../kernel/folders.ts';
import type { Io } from '../kernel/io.ts';

/** A question that is answered with a line of text. */
export interface TextQuestion {
  readonly message: string;
  /** What Enter alone means. */
  readonly preset?: string | undefined;
  /**
   * What no answer means, in words: `all channels`. Enter alone gives none where there is no preset; where there is one,
   * a lone `-` does. Without this an answer is required.
   */
  readonly otherwise?: string | undefined;
  /** What is wrong with an answer, if anything is. */
  readonly check?: (answer: string) => string | undefined;
}

export interface Choice {
  readonly value: string;
  readonly describes?: string;
  /** Choices of one group stand together, and can be taken together. */
  readonly group?: string;
}

export interface OneQuestion {
  readonly message: string;
  readonly choices: readonly Choice[];
  /** What Enter alone means. */
  readonly preset: string;
}

/** A question that is answered with any number of choices. */
export interface ManyQuestion {
  readonly message: string;
  readonly choices: readonly Choice[];
  readonly preset: readonly string[];
  /** What choosing nothing means, in words: `all events`. */
  readonly none: string;
  /** Takes a value that is no choice; gives what is wrong with it, if anything is. */
  readonly checkOther: (value: string) => string | undefined;
}

/**
 * Who asks. There are two: prompts that redraw their lines, and plain numbered questions for screen readers and terminals
 * that can't move the cursor. Both ask the same and give the same.
 * @throws SvcError `interrupted` at Ctrl-C and at the end of the input, or the reason of the run's signal
 */
export interface Asker {
  text(question: TextQuestion): Promise<string>;
  /** Nothing typed is shown. An empty answer is given as it is. */
  secret(message: string): Promise<string>;
  yes(message: string, preset: boolean): Promise<boolean>;
  one(question: OneQuestion): Promise<string>;
  many(question: ManyQuestion): Promise<readonly string[]>;
}

/** Parts of the process's environment that questions need. */
export interface AskerDependencies {
  readonly io: Io;
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

/** What an answer to a question for text means: the preset where nothing was typed. */
export function answerOf({ preset, otherwise }: TextQuestion, typed: string): string {
  const answer = typed.trim();
  if (answer === NO_ANSWER && preset && otherwise !== undefined) return '';
  return answer || (preset ?? '');
}

/** Typed where Enter alone would give the preset. */
export const NO_ANSWER = '-';

/** What is wrong with an answer to a question for text. */
export function problemOf({ otherwise, check }: TextQuestion, answer: string): string | undefined {
  if (answer === '') return otherwise === undefined ? 'an answer is needed' : undefined;
  return check?.(answer);
}

/** The values of a group. */
export function valuesOf(choices: readonly Choice[], group: string): readonly string[] {
  return choices.filter((choice) => choice.group === group).map(({ value }) => value);
}

/** Takes the values out where all are in, else puts them in. */
export function toggle(chosen: Set<string>, values: readonly string[]): void {
  const isOn = values.every((value) => chosen.has(value));
  for (const value of values) {
    if (isOn) chosen.delete(value);
    else chosen.add(value);
  }
}
