import { confirm as askYesNo, input, password } from '@inquirer/prompts';
import { SvcError } from '../kernel/errors.ts';
import { safeText } from '../kernel/safe-text.ts';
import type { Context } from './context.ts';
import { canAsk } from './terminal.ts';

/** Asks yes or no. No ends the command; so does having nobody to ask. */
export async function confirm(context: Context, question: string): Promise<void> {
  requireTerminal(context, `${question} Without a terminal, say --yes to go on.`, 'add --yes to answer yes');
  const yes = await answered(context, askYesNo({ message: safeText(question), default: false }, streams(context)));
  if (!yes) throw new SvcError('usage', 'not confirmed; nothing was sent');
}

export function ask(context: Context, question: string): Promise<string> {
  requireTerminal(context, `${question}: nobody can be asked here`, 'give it as a flag; see --help');
  return answered(context, input({ message: safeText(question), required: true }, streams(context)));
}

export function askSecret(context: Context, question: string): Promise<string> {
  requireTerminal(context, `${question}: nobody can be asked here`, 'hand it over by stdin, file or environment');
  return answered(context, password({ message: safeText(question) }, streams(context)));
}

function requireTerminal(context: Context, message: string, hint: string): void {
  if (!canAsk(context)) throw new SvcError('usage', message, { hint });
}

/** Prompts talk on stderr, so that stdout carries the result alone. */
function streams({ io, signal }: Context) {
  return { input: io.stdin.stream, output: io.stderr.stream, signal, clearPromptOnDone: false };
}

async function answered<Value>({ signal }: Context, prompt: Promise<Value>): Promise<Value> {
  try {
    return await prompt;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof Error && error.name === 'ExitPromptError') {
      throw new SvcError('interrupted', 'stopped at the question; nothing was sent', { cause: error });
    }
    throw error;
  }
}
