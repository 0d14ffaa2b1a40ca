import type { Command, CommanderError } from 'commander';
import { SvcError } from '../../kernel/errors.ts';
import { type Hint, hint, step } from '../../kernel/hint.ts';
import { findNearest } from '../../kernel/nearest.ts';
import type { Node } from '../definition.ts';
import { commandPath, commandWords, helpStep } from './command-words.ts';
import { describeUnknownCommand, type UsageProblem } from './unknown-command.ts';

/** Converts an error of commander to an `SvcError`. Returns others unchanged, such as those thrown after help. */
export function toUsageError(error: CommanderError, command: Command, root: Node): Error {
  const problem = describeProblem(error, command, root);
  return problem ? new SvcError('usage', problem.message, { hint: problem.hint, cause: error }) : error;
}

function describeProblem(error: CommanderError, command: Command, root: Node): UsageProblem | undefined {
  const path = commandPath(command);
  const see = hint`see ${helpStep(command)}`;
  const quoted = /'(.*?)'/s.exec(error.message)?.[1] ?? '';
  switch (error.code) {
    case 'commander.unknownOption':
      return { message: `unknown flag '${quoted}'`, hint: flagHint(quoted, command) };
    case 'commander.unknownCommand':
      return describeUnknownCommand(quoted, command, root);
    case 'commander.missingArgument':
      return { message: `${path} requires <${quoted}>`, hint: idHint(quoted, command) ?? see };
    case 'commander.optionMissingArgument': {
      const long = quoted.replace(/^-\w, /, '');
      return { message: `${long.split(' ', 1).join()} requires a value: ${long}`, hint: see };
    }
    default:
      return undefined;
  }
}

/** Groups that list objects on this machine. Service flags do not apply to them. */
const LOCAL_GROUPS: readonly string[] = ['jobs'];

function idHint(argument: string, { parent }: Command): Hint | undefined {
  const lists = parent?.commands.some((sibling) => sibling.name() === 'list');
  return parent && lists && /id$/i.test(argument)
    ? hint`${step(LOCAL_GROUPS.includes(parent.name()) ? 'inspect' : 'list', ...commandWords(parent), 'list')} lists the IDs`
    : undefined;
}

function flagHint(flag: string, command: Command): string | Hint {
  const near = flag.startsWith('--')
    ? findNearest(
        flag.slice(2),
        flagsOf(command).map((name) => name.slice(2)),
      )
    : undefined;
  return near ? `did you mean '--${near}'?` : hint`${helpStep(command)} lists the flags`;
}

function flagsOf(command: Command): readonly string[] {
  const own = command.createHelp().visibleOptions(command);
  const names = own.flatMap(({ long }) => long ?? []);
  return command.parent ? [...names, ...flagsOf(command.parent)] : names;
}
