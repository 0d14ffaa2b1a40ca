import { SvcError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { canAsk } from './terminal.ts';

/** Asks yes or no. No ends the command; so does having nobody to ask. */
export async function confirm(context: Context, question: string): Promise<void> {
  requireTerminal(context, `${question} Without a terminal, say --yes to go on.`, 'add --yes to answer yes');
  const asker = await context.asker();
  if (!(await asker.yes(question, false))) throw new SvcError('usage', 'not confirmed; nothing was done');
}

export async function ask(context: Context, question: string): Promise<string> {
  requireTerminal(context, `${question}: nobody can be asked here`, 'give it as a flag; see --help');
  return (await context.asker()).text({ message: question });
}

export async function askSecret(context: Context, question: string): Promise<string> {
  requireTerminal(context, `${question}: nobody can be asked here`, 'hand it over by stdin, file or environment');
  return (await context.asker()).secret(question);
}

function requireTerminal(context: Context, message: string, hint: string): void {
  if (!canAsk(context)) throw new SvcError('usage', message, { hint });
}
