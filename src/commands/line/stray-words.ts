import type { Command } from 'commander';
import { SvcError } from '../../kernel/errors.ts';
import { hint } from '../../kernel/hint.ts';
import { amount } from '../../kernel/plural.ts';
import { shellWord } from '../../kernel/shell-word.ts';
import type { OptionDefinition } from '../definition.ts';
import { helpOf, pathOf } from './usage-error.ts';

/** Files that a hint names; a pattern may have stood for thousands. */
const MOST_NAMED = 5;

/** The error for words that a command does not take. Behind `--file` they are what a pattern of the shell stood for. */
export function strayWordsError(
  command: Command,
  flags: readonly OptionDefinition[],
  stray: readonly string[],
): SvcError {
  const path = pathOf(command);
  const taken = command.registeredArguments.length;
  const all = taken === 0 ? 'no arguments' : `${amount(taken, 'argument')} only`;
  const takesFiles = flags.some(({ flags: text, many }) => many && text.startsWith('--file '));
  return new SvcError('usage', `${path} takes ${all}; '${stray[0]}' is one too many`, {
    hint: takesFiles ? `each file has a flag of its own: ${fileFlags(stray)}` : hint`see ${helpOf(command)}`,
  });
}

function fileFlags(files: readonly string[]): string {
  const named = files.slice(0, MOST_NAMED).map((file) => `--file ${shellWord(file)}`);
  return [...named, ...(files.length > MOST_NAMED ? ['…'] : [])].join(' ');
}
