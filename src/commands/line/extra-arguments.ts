import type { Command } from 'commander';
import { formatFromName } from '../../bulk/source/detect-format.ts';
import { hint, SvcError } from '../../kernel/errors.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { quoteForShell } from '../../kernel/quote-for-shell.ts';
import type { OptionDefinition } from '../definition.ts';
import { commandPath, helpStep } from './command-words.ts';
import { findDashHint } from './other-tools-words.ts';

const MAX_NAMED_FILES = 5;
const LOCAL_LIST = 'svc local list';

/**
 * Creates the error for extra arguments: files of a shell pattern after `--file`, or otherwise
 * often IDs.
 */
export function createExtraArgumentsError(
  command: Command,
  flags: readonly OptionDefinition[],
  extra: readonly string[],
): SvcError {
  const path = commandPath(command);
  const taken = command.registeredArguments.length;
  const accepted = taken === 0 ? 'no arguments' : formatNounCount(taken, 'argument');
  // The user may have typed `users list --local`.
  const limit = path === LOCAL_LIST ? '' : `${path} takes ${accepted}; `;
  return new SvcError('usage', `${limit}unexpected argument '${extra[0]}'`, {
    hint:
      findDashHint(command.args) ??
      fileHint(command, flags, extra) ??
      idFlagHint(command, flags, extra) ??
      hint`see ${helpStep(command)}`,
  });
}

function fileHint(
  command: Command,
  flags: readonly OptionDefinition[],
  extra: readonly string[],
): string | undefined {
  if (!flags.some(({ flags: text, many }) => many && text.startsWith('--file '))) return undefined;
  const { file } = command.opts<{ file?: readonly string[] }>();
  if (file !== undefined) return `repeat the flag for each file: ${fileFlags(extra)}`;
  return extra.every((text) => formatFromName(text) !== undefined)
    ? `did you mean ${fileFlags(extra)}?`
    : undefined;
}

function idFlagHint(
  command: Command,
  flags: readonly OptionDefinition[],
  extra: readonly string[],
): string | undefined {
  const path = commandPath(command);
  const isOfOrganization = path === LOCAL_LIST && command.args[0] !== 'organizations';
  const nouns = (isOfOrganization ? 'organization' : path)
    .split(/[ -]/)
    .map((word) => word.replace(/s$/, ''));
  const [flag] = nouns.reverse().flatMap((noun) => {
    const start = `--${FLAG_NAMES[noun] ?? noun} <id>`;
    return flags.filter(({ flags: text }) => text.startsWith(start));
  });
  if (!flag) return undefined;
  const [name = ''] = flag.flags.split(' ');
  const values = extra.slice(0, flag.many ? MAX_NAMED_FILES : 1);
  return `did you mean ${values.map((value) => `${name} ${quoteForShell(value)}`).join(' ')}?`;
}

const FLAG_NAMES: Readonly<Record<string, string>> = { organization: 'org' };

function fileFlags(files: readonly string[]): string {
  const named = files.slice(0, MAX_NAMED_FILES).map((file) => `--file ${quoteForShell(file)}`);
  return [...named, ...(files.length > MAX_NAMED_FILES ? ['…'] : [])].join(' ');
}
