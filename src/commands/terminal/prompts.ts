import { SvcError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { canAsk } from './terminal.ts';

/** Asks for confirmation. @throws SvcError `usage` for a no, and if prompts are not possible */
export async function confirm(context: Context, question: string): Promise<void> {
  requireTerminal(context, `confirmation required: ${question}`, 'add --yes to confirm without a prompt');
  const asker = await context.prompter();
  if (!(await asker.confirm(question, false))) throw new SvcError('usage', 'not confirmed; nothing was changed');
}

export async function ask(context: Context, question: string): Promise<string> {
  requireTerminal(context, `cannot prompt without a terminal: ${question}`, 'use a flag instead; see --help');
  return (await context.prompter()).text({ message: question });
}

export async function askSecret(context: Context, question: string): Promise<string> {
  requireTerminal(
    context,
    `cannot prompt without a terminal: ${question}`,
    'pass the secret by stdin, file, or environment variable',
  );
  return (await context.prompter()).secret(question);
}

function requireTerminal(context: Context, message: string, hint: string): void {
  if (!canAsk(context)) throw new SvcError('usage', message, { hint });
}
