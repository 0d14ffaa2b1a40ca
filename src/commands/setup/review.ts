import { SvcError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { formatColumns } from './messages.ts';

export interface ReviewedAnswer {
  readonly field: string;
  readonly label: string;
  readonly value: string;
}

const DONE = 'Continue with these answers';
const CANCEL = 'Cancel';

/** @returns the field to change, or `undefined` to continue. @throws SvcError `usage` if the user cancels */
export async function chooseAnswer(context: Context, answers: readonly ReviewedAnswer[]): Promise<string | undefined> {
  const lines = formatColumns(answers.map(({ label, value }) => [label, value] as const)).map((line) => line.trim());
  const prompter = await context.prompter();
  const chosen = await prompter.select({
    message: 'Change an answer',
    choices: [DONE, ...lines, CANCEL].map((value) => ({ value })),
    defaultValue: DONE,
  });
  if (chosen === CANCEL) throw notConfirmed();
  return answers[lines.indexOf(chosen)]?.field;
}

export function notConfirmed(): SvcError {
  return new SvcError('usage', 'not confirmed; nothing was changed');
}

/** Numbers the questions of a setup: `[2/9] Endpoint URL`. For screen readers, in words. */
export type NumberQuestion = (question: string) => string;

export function createQuestionNumbers(total: number, inWords: boolean): NumberQuestion {
  let number = 0;
  return (question) => {
    number += 1;
    return inWords ? `Step ${number} of ${total}: ${question}` : `[${number}/${total}] ${question}`;
  };
}
