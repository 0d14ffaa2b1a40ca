import type { Command, CommanderError } from 'commander';
import { SvcError } from '../../kernel/errors.ts';
import { commandLineOf, type Hint, hint, step } from '../../kernel/hint.ts';
import { findNearest } from '../../kernel/nearest.ts';
import type { StoredKindName } from '../../service/development/reading/answers.ts';
import type { Node } from '../definition.ts';
import { findByPath } from '../tree/aliases.ts';
import { commandPath, commandWords, helpStep } from './command-words.ts';

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

interface UsageProblem {
  readonly message: string;
  readonly hint: string | Hint;
}

/** An action: the verb for messages, its command names (preferred name first), and the names of similar actions. */
interface Action {
  readonly verb: string;
  readonly words: readonly string[];
  readonly similar?: readonly string[];
}

const LIST: Action = { verb: 'lists', words: ['list', 'ls'], similar: ['get', 'show'] };

const ACTIONS: readonly Action[] = [
  LIST,
  { verb: 'shows', words: ['get', 'show', 'view', 'describe'], similar: ['list'] },
  { verb: 'adds', words: ['add', 'create', 'new'] },
  { verb: 'updates', words: ['update', 'edit', 'set'] },
  { verb: 'deletes', words: ['delete', 'remove', 'rm'] },
];

/** Nouns for groups whose records have another name than the group. */
const NOUNS: ReadonlyMap<string, string> = new Map([
  ['groups', 'user groups'],
  ['crdt', 'editor content'],
  ['workspace', 'workspaces'],
  ['email', 'email configurations'],
  ['permission-provider', 'permission providers'],
]);

const MAX_SUGGESTIONS = 3;

/** Describes an unknown word after a group: a synonym, a typo, or an operation that the service does not have. */
function describeUnknownCommand(word: string, command: Command, root: Node): UsageProblem {
  const message = `unknown command '${word}'`;
  const node = findByPath(root, commandWords(command)) ?? root;
  const action = ACTIONS.find(({ words }) => words.includes(word));
  if (node === root) return { message, hint: action === LIST ? listHint(root) : rootHint(word, command, root) };
  if (!action) return { message, hint: groupHint(word, command, root) };
  const suggested = suggestCommands(node, [...action.words, ...(action.similar ?? [])]);
  if (suggested.length > 0) return { message, hint: didYouMeanOneOf(suggested) };
  const hasOperations = [...node.children.values()].some(({ leaf }) => leaf?.kind === 'operation');
  if (!hasOperations) return { message, hint: commandsHint(command) };
  const noun = NOUNS.get(node.name) ?? node.name.replaceAll('-', ' ');
  return {
    message: `the service has no operation that ${action.verb} ${noun}`,
    hint: localHint(node.name, action) ?? commandsHint(command),
  };
}

const LOCAL_KINDS: ReadonlySet<string> = new Set<StoredKindName>([
  'activities',
  'groups',
  'notifications',
  'organizations',
  'permissions',
  'presence',
  'users',
]);

/** Creates the hint for records that only the embedded service can read. */
function localHint(kind: string, { verb }: Action): Hint | undefined {
  if (!LOCAL_KINDS.has(kind) || !/^(list|show)s$/.test(verb)) return undefined;
  return hint`${step('inspect', 'local', 'list', kind)} lists those of the embedded service`;
}

/** Finds the group's first command with one of the names. Without one, finds commands of its subgroups. */
function suggestCommands(node: Node, words: readonly string[]): readonly Node[] {
  const own = words.flatMap((word) => node.children.get(word) ?? []).slice(0, 1);
  if (own.length > 0) return own;
  const word = words.find((each) => [...node.children.values()].some(({ children }) => children.has(each)));
  return [...node.children.values()].flatMap(({ children }) => children.get(word ?? '') ?? []).slice(0, MAX_SUGGESTIONS);
}

function listHint(root: Node): Hint {
  const groups = [...root.children.values()].filter(({ name }) => name !== 'local');
  const lists = groups.flatMap(({ children }) => children.get('list') ?? []);
  const [first, ...others] = lists.map(
    ({ path, leaf }) => hint`${step(leaf?.kind === 'operation' ? 'list' : 'inspect', ...path)}`,
  );
  return others.reduce((text, next) => hint`${text}, ${next}`, hint`commands that list records: ${first ?? ''}`);
}

function rootHint(word: string, command: Command, root: Node): string | Hint {
  return (
    nearestHint(word, command) ?? sameNameHint([...findNodes(root, word)]) ?? hint`${step('help', 'help')} lists the commands`
  );
}

/** Suggests only groups for a subcommand, because many groups have commands such as list and show. */
function groupHint(word: string, command: Command, root: Node): string | Hint {
  const groups = [...findNodes(root, word)].filter(({ children }) => children.size > 0);
  return nearestHint(word, command) ?? sameNameHint(groups) ?? commandsHint(command);
}

function commandsHint(command: Command): Hint {
  return hint`${helpStep(command)} lists its commands`;
}

function nearestHint(word: string, command: Command): string | undefined {
  const nearest = findNearest(
    word,
    command.commands.map((child) => child.name()),
  );
  return nearest && `did you mean '${commandLineOf(step('help', ...commandWords(command), nearest))}'?`;
}

function sameNameHint(nodes: readonly Node[]): string | undefined {
  return nodes.length > 0 && nodes.length <= MAX_SUGGESTIONS ? didYouMeanOneOf(nodes) : undefined;
}

function didYouMeanOneOf(nodes: readonly Node[]): string {
  const suggestions = nodes.map(({ path }) => `'${commandLineOf(step('help', ...path))}'`);
  return `did you mean ${suggestions.join(' or ')}?`;
}

function* findNodes(node: Node, name: string): Generator<Node> {
  if (node.name === name && (node.leaf || node.children.size > 0)) yield node;
  for (const child of node.children.values()) yield* findNodes(child, name);
}
