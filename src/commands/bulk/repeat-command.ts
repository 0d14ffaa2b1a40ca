import { hint } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';

/** Flags of answers that can be given more than once. */
const REPEATABLE = new Set(['--map', '--map-org']);
/** The only flag of answers without a value. */
const SWITCH = '--create-organization';

/**
 * Prints the line that runs the command again without its questions.
 * @param answers flags that answer the questions
 */
export async function printRepeatingCommand(
  context: Context,
  answers: readonly string[] = [],
): Promise<void> {
  if (answers.length === 0) return;
  const words = withAnswers(context.words, answers);
  // The words contain the flags that select the service.
  const command = { kind: 'retry', command: words, flags: [] } as const;
  await context.note(hint`to run this again without questions: ${command}`);
}

/** Adds flags to the words of a command, in place of earlier values of the same flags. */
function withAnswers(words: readonly string[], answers: readonly string[]): readonly string[] {
  const replaced = answers.filter((word) => word.startsWith('--') && !REPEATABLE.has(word));
  const kept = words.filter((word, at) => {
    const [name = ''] = word.split('=', 1);
    const before = words[at - 1] ?? '';
    const isValue = replaced.includes(before) && before !== SWITCH;
    return !replaced.includes(name) && !isValue;
  });
  return [...kept, ...answers];
}
