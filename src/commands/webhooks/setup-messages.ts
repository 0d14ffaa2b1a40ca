import { SvcError } from '../../kernel/errors.ts';
import { wrapCommand } from '../../output/message-text.ts';
import { createMeasure } from '../../output/width.ts';
import { serviceLabel } from '../connection/protected-profile.ts';
import type { Context } from '../context.ts';

export async function printLines(
  { note }: Pick<Context, 'note'>,
  lines: readonly string[],
): Promise<void> {
  for (const line of lines) await note(line);
}

/**
 * Asks an optional question, which defaults to no. `--yes` does not accept it, because it only
 * answers required confirmations.
 */
export async function confirmOptional(context: Context, question: string): Promise<boolean> {
  if (context.options.yes || context.options.dryRun) return false;
  return (await context.prompter()).confirm(question, false);
}

/**
 * Asks a question about a change to the service, which it names. Enter alone and `--yes` mean yes.
 */
export async function confirmByDefault(context: Context, question: string): Promise<boolean> {
  if (context.options.yes) return true;
  return (await context.prompter()).confirm(`${question} (${await serviceLabel(context)})`, true);
}

/**
 * Asks whether to create an endpoint, and names the service. Enter alone and `--yes` mean yes.
 * @returns false if the user wants to change settings first
 * @throws SvcError `usage` if the user declines
 */
export async function confirmCreation(context: Context, question: string): Promise<boolean> {
  if (context.options.yes) return true;
  const chosen = await (await context.prompter()).letter({
    message: `${question} (${await serviceLabel(context)})`,
    answers: [
      { letter: 'y', name: 'yes' },
      { letter: 'n', name: 'no' },
      { letter: 'o', name: 'more options' },
    ],
  });
  if (chosen === 'n') throw createNotConfirmedError();
  return chosen === 'y';
}

export function formatColumns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`);
}

export async function wrapForMessages(
  { io }: Context,
  command: string,
): Promise<readonly string[]> {
  return wrapCommand(command, io.stderr.columns || 80, await createMeasure([[command]]));
}

/** Message before a request, because a slow receiver may take until the timeout. */
export const WAITING_MESSAGE = '  waiting for a response…';

export function createNotConfirmedError(): SvcError {
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
