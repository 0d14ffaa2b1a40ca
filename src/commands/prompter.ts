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

/** An answer of one letter. Its name is an answer too. */
export interface LetterAnswer<Letter extends string = string> {
  readonly letter: Letter;
  readonly name: string;
}

export interface LetterPrompt<Letter extends string = string> {
  readonly message: string;
  /** The first one is the answer of Enter alone. */
  readonly answers: readonly LetterAnswer<Letter>[];
}

export interface Choice {
  readonly value: string;
  /** Text that stands for the value (default: the value). */
  readonly label?: string;
  readonly description?: string;
  /** More texts by which a search finds the choice, such as those that its label shortens. */
  readonly keywords?: readonly string[];
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
  confirm(message: string, defaultValue: boolean): Promise<boolean>;
  /** Asks a question that one letter answers: `Create it? (Y, n, o = more options)`. */
  letter<Letter extends string>(question: LetterPrompt<Letter>): Promise<Letter>;
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

/** Finds the answer for typed text; undefined if no answer matches. */
export function findLetterAnswer<Letter extends string>(
  { answers }: LetterPrompt<Letter>,
  typed: string,
): LetterAnswer<Letter> | undefined {
  const text = typed.trim().toLowerCase();
  return text === ''
    ? answers[0]
    : answers.find(({ letter, name }) => [letter, name].includes(text));
}

/** Formats the answers of a question: `Y, n, o = more options`. A name that starts with its letter is left out. */
export function describeLetters({ answers }: LetterPrompt, marksDefault: boolean): string {
  return answers
    .map(({ letter, name }, at) => {
      const shown = marksDefault && at === 0 ? letter.toUpperCase() : letter;
      return name.startsWith(letter) ? shown : `${shown} = ${name}`;
    })
    .join(', ');
}

export function letterProblem({ answers }: LetterPrompt): string {
  const letters = answers.map(({ letter }) => letter);
  return `answer ${letters.slice(0, -1).join(', ')} or ${letters.at(-1)}`;
}

export function filterChoices(choices: readonly Choice[], text: string): readonly Choice[] {
  const searchText = text.toLowerCase();
  return choices.filter(({ value, label = '', description = '', keywords = [] }) =>
    [value, label, description, ...keywords].join(' ').toLowerCase().includes(searchText),
  );
}
