import type { Command, CommanderError } from 'commander';
import { SvcError } from '../../kernel/errors.ts';
import { commandLineOf, type Hint, hint, type NextStep, step } from '../../kernel/hint.ts';
import { nearest } from '../../kernel/nearest.ts';
import type { Node } from '../definition.ts';

/**
 * What commander throws, as errors of this tool: in its words, and with the next step for the command that was being
 * read. Help and the version, which commander throws as well, stay what they are.
 */
export function refused(error: CommanderError, command: Command, root: Node): Error {
  const described = descriptionOf(error, command, root);
  return described ? new SvcError('usage', described.message, { hint: described.hint, cause: error }) : error;
}

interface Described {
  readonly message: string;
  readonly hint: string | Hint;
}

function descriptionOf(error: CommanderError, command: Command, root: Node): Described | undefined {
  const called = pathOf(command);
  const see = hint`see ${helpOf(command)}`;
  const quoted = /'(.*?)'/s.exec(error.message)?.[1] ?? '';
  switch (error.code) {
    case 'commander.unknownOption':
      return { message: `unknown flag '${quoted}'`, hint: flagHint(quoted, command) };
    case 'commander.unknownCommand':
      return { message: `unknown command '${quoted}'`, hint: commandHint(quoted, command, root) };
    case 'commander.missingArgument':
      return { message: `${called} needs <${quoted}>`, hint: idHint(quoted, command) ?? see };
    case 'commander.optionMissingArgument': {
      const long = quoted.replace(/^-\w, /, '');
      return { message: `${long.split(' ', 1).join()} needs a value: ${long}`, hint: see };
    }
    default:
      return undefined;
  }
}

/** Where the ids are listed that a command takes one of. */
function idHint(argument: string, { parent }: Command): Hint | undefined {
  const lists = parent?.commands.some((sibling) => sibling.name() === 'list');
  return parent && lists && /id$/i.test(argument)
    ? hint`${step('list', ...wordsOf(parent), 'list')} shows them`
    : undefined;
}

/** A command as it is called: `svc jobs list`. */
export function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

/** The words of a command behind the program. */
function wordsOf(command: Command): readonly string[] {
  return command.parent ? [...wordsOf(command.parent), command.name()] : [];
}

export function helpOf(command: Command): NextStep {
  return step('help', ...wordsOf(command), '--help');
}

/** The dashes are alike in all of them, and so say nothing of how near two are. */
function flagHint(flag: string, command: Command): string | Hint {
  const near = flag.startsWith('--')
    ? nearest(
        flag.slice(2),
        flagsOf(command).map((name) => name.slice(2)),
      )
    : undefined;
  return near ? `did you mean '--${near}'?` : hint`${helpOf(command)} lists the flags`;
}

/** The flags that may stand at a command, those of the commands above it included. */
function flagsOf(command: Command): readonly string[] {
  const own = command.createHelp().visibleOptions(command);
  const names = own.flatMap(({ long }) => long ?? []);
  return command.parent ? [...names, ...flagsOf(command.parent)] : names;
}

/** The nearest command of the same group, or those of that name in other groups. */
function commandHint(word: string, command: Command, root: Node): string | Hint {
  const near = nearest(
    word,
    command.commands.map((child) => child.name()),
  );
  if (near) return `did you mean '${pathOf(command)} ${near}'?`;
  const alike = [...namesakes(root, word)];
  // Within a group many commands have the same names: list, show.
  const elsewhere = command.parent ? alike.filter(({ children }) => children.size > 0) : alike;
  const few = elsewhere.length > 0 && elsewhere.length <= MOST_NAMESAKES;
  if (few) {
    const found = elsewhere.map(({ path }) => `'${commandLineOf(step('help', ...path))}'`);
    return `did you mean ${found.join(' or ')}?`;
  }
  return command.parent
    ? hint`${helpOf(command)} lists its commands`
    : hint`${step('help', 'help')} lists the commands`;
}

const MOST_NAMESAKES = 3;

function* namesakes(node: Node, name: string): Generator<Node> {
  if (node.name === name && (node.leaf || node.children.size > 0)) yield node;
  for (const child of node.children.values()) yield* namesakes(child, name);
}
