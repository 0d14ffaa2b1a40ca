import type { Command } from 'commander';
import { SvcError } from '../../kernel/errors.ts';
import { hint } from '../../kernel/hint.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { quoteForShell } from '../../kernel/quote-for-shell.ts';
import type { OptionDefinition } from '../definition.ts';
import { commandPath, helpStep } from './command-words.ts';

/** Number of files in a hint; a shell pattern may match thousands. */
const MAX_NAMED_FILES = 5;

/** Creates the error for extra arguments. After `--file`, they usually come from a shell pattern. */
export function extraArgumentsError(
  command: Command,
  flags: readonly OptionDefinition[],
  extra: readonly string[],
): SvcError {
  const path = commandPath(command);
  const taken = command.registeredArguments.length;
  const accepted = taken === 0 ? 'no arguments' : formatNounCount(taken, 'argument');
  const takesFiles = flags.some(({ flags: text, many }) => many && text.startsWith('--file '));
  return new SvcError('usage', `${path} takes ${accepted}; unexpected argument '${extra[0]}'`, {
    hint: takesFiles ? `repeat the flag for each file: ${fileFlags(extra)}` : hint`see ${helpStep(command)}`,
  });
}

function fileFlags(files: readonly string[]): string {
  const named = files.slice(0, MAX_NAMED_FILES).map((file) => `--file ${quoteForShell(file)}`);
  return [...named, ...(files.length > MAX_NAMED_FILES ? ['…'] : [])].join(' ');
}
