import { SvcError } from '../../kernel/errors.ts';
import { parseSecret } from '../../profiles/credential-value.ts';
import { parseProfileName } from '../../profiles/profile.ts';
import type { Context } from '../context.ts';

type Check = (value: string, source: string) => string;

export async function askChecked(context: Context, message: string, check: Check): Promise<string> {
  const prompter = await context.prompter();
  const answer = await prompter.text({ message, validate: (typed) => findProblem(() => check(typed, message)) });
  return check(answer, message);
}

export function askProfileName(context: Context, checkAvailable: (name: string) => void): Promise<string> {
  return askChecked(context, 'Profile name', (typed) => {
    const name = parseProfileName(typed);
    checkAvailable(name);
    return name;
  });
}

export async function askSecret(context: Context, question: string): Promise<string> {
  const prompter = await context.prompter();
  for (;;) {
    const typed = await prompter.secret(question);
    const problem = findProblem(() => parseSecret(typed, question));
    if (problem === undefined) return parseSecret(typed, question);
    await context.warn(problem);
  }
}

function findProblem(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return error.hint === undefined ? error.message : `${error.message}; ${error.hint}`;
  }
}
