import type { Environment } from '../kernel/folders.ts';
import type { Io } from '../kernel/io.ts';

export interface TextPrompt {
  readonly message: string;
  readonly defaultValue?: string | undefined;
  /**
   * Describes the effect of an empty answer: `all channels`. The user presses Enter, or types `-`
   * if there is a default value. Without this property, an answer is required.
   */
  readonly emptyMeaning?: string | undefined;
  /** Completes an answer, for example with the scheme of a URL. */
  readonly complete?: (typed: string) => string;
  /** Returns the problem with a completed answer, if any. */
  readonly validate?: (answer: string) => string | undefined;
}

export interface ConfirmOptions {
  /** Removes the question from the screen after the answer, if the terminal can redraw lines. */
  readonly isRemovedAfterwards?: true;
}

export interface Choice {
  readonly value: string;
  readonly description?: string;
  readonly group?: string;
}

export interface PickPrompt {
  readonly message: string;
  /** Must not be empty. */
  readonly choices: readonly Choice[];
  readonly defaultValue?: string;
  readonly allowsOther?: true;
}

export interface MultiSelectPrompt {
  readonly message: string;
  readonly choices: readonly Choice[];
  readonly defaultValues: readonly string[];
  readonly emptyMeaning: string;
  /** Checks a value that is not among the choices, and returns the problem, if any. */
  readonly validateOther: (value: string) => string | undefined;
}

/**
 * Prompts the user. There are two implementations with the same results: one redraws its lines; the
 * other prints plain numbered questions for screen readers and simple terminals.
 * @throws SvcError `interrupted` on Ctrl-C and at the end of the input, or the reason of the
 * command's signal
 */
export interface Prompter {
  text(question: TextPrompt): Promise<string>;
  /** Reads text without echo. The answer may be empty. */
  secret(message: string): Promise<string>;
  confirm(message: string, defaultValue: boolean, options?: ConfirmOptions): Promise<boolean>;
  pick(question: PickPrompt): Promise<string>;
  multiSelect(question: MultiSelectPrompt): Promise<readonly string[]>;
}

export interface PrompterDependencies {
  readonly io: Io;
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

export function parseAnswer(
  { defaultValue, emptyMeaning, complete }: TextPrompt,
  typed: string,
): string {
  const answer = typed.trim();
  if (answer === EMPTY_ANSWER && defaultValue && emptyMeaning !== undefined) return '';
  if (answer === '') return defaultValue ?? '';
  return complete?.(answer) ?? answer;
}

/** Stands for an empty answer if Enter selects the default value. */
export const EMPTY_ANSWER = '-';

export function answerProblem(
  { emptyMeaning, validate }: TextPrompt,
  answer: string,
): string | undefined {
  if (answer === '') return emptyMeaning === undefined ? 'an answer is required' : undefined;
  return validate?.(answer);
}

export function filterChoices(choices: readonly Choice[], text: string): readonly Choice[] {
  const searchText = text.toLowerCase();
  return choices.filter(({ value, description = '' }) =>
    `${value} ${description}`.toLowerCase().includes(searchText),
  );
}
