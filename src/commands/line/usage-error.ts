import type { Command, CommanderError } from 'commander';
import { SHOWN_KINDS } from '../../catalog/local/stored-kinds.ts';
import { Hint, hint, type NextStep, SvcError, step } from '../../kernel/errors.ts';
import { findNearest } from '../../kernel/nearest.ts';
import type { Node, OptionDefinition } from '../definition.ts';
import { GLOBAL_FLAGS, HELP_FLAG, VERSION_FLAG } from '../global-flags.ts';
import { longName } from '../options.ts';
import { findByPath, findChild, SHORTCUTS } from '../tree/aliases.ts';
import { argumentsOf, flagsOf, type LoadedLeaf, loadLeaf } from '../tree/leaf.ts';
import { findNearestPath } from '../tree/nearest-path.ts';
import { commandTree } from '../tree/tree.ts';
import { commandPath, commandWords, helpStep } from './command-words.ts';
import { ONLY_LOCAL_LISTS } from './local-list.ts';
import { findDashHint, findOtherToolsHint } from './other-tools-words.ts';

/**
 * Converts an error of commander to an `SvcError`. Returns others unchanged, such as those thrown
 * after help.
 */
export function toUsageError(
  error: CommanderError,
  command: Command,
  root: Node,
  leaf?: LoadedLeaf,
): Error {
  const path = commandPath(command);
  const see = hint`see ${helpStep(command)}`;
  const quoted = /'(.*?)'/s.exec(error.message)?.[1] ?? '';
  const createError = (message: string, hint: string | Hint) =>
    new SvcError('usage', message, { hint, cause: error });
  switch (error.code) {
    case 'commander.unknownOption': {
      // The value may be a secret.
      const [flag = ''] = quoted.split('=', 1);
      return createError(`unknown flag '${flag}'`, flagHint(flag, command, leaf));
    }
    case 'commander.unknownCommand':
      return createError(...describeUnknownCommand(quoted, command, root));
    case 'commander.missingArgument':
      return createError(`${path} requires <${quoted}>`, idHint(quoted, command, root) ?? see);
    case 'commander.optionMissingArgument': {
      const long = quoted.replace(/^-\w, /, '');
      return createError(`${long.split(' ', 1).join()} requires a value: ${long}`, see);
    }
    default:
      return error;
  }
}

/** Groups that list objects on this machine. Service flags do not apply to them. */
const LOCAL_GROUPS: readonly string[] = ['jobs'];

function idHint(
  argument: string,
  { parent, registeredArguments }: Command,
  root: Node,
): Hint | undefined {
  const lists = parent && findByPath(root, commandWords(parent))?.children.has('list');
  // An ID after another argument is listed by a command that takes that argument, too.
  return parent && lists && /id$/i.test(argument) && registeredArguments[0]?.name() === argument
    ? hint`to list the IDs, run ${step(LOCAL_GROUPS.includes(parent.name()) ? 'inspect' : 'list', ...commandWords(parent), 'list')}`
    : undefined;
}

const FLAGS_OF_OTHER_TOOLS: ReadonlyMap<string, string> = new Map([
  ['--json', '--output json'],
  ['--format', '--output'],
  ['--no-color', '--color never'],
]);

function flagHint(flag: string, command: Command, leaf: LoadedLeaf | undefined): string | Hint {
  const dashHint = findDashHint([flag]);
  if (dashHint !== undefined) return dashHint;
  const flags = [...(leaf ? flagsOf(leaf) : []), ...GLOBAL_FLAGS, VERSION_FLAG, HELP_FLAG];
  const names = flags.map(longName);
  // A flag takes the next word as its value, even '--'.
  if (names.includes(flag.slice(2))) return `put the flag before '--'`;
  const isGroup = command.commands.length > 0;
  if (OUTPUT_FLAGS.test(flag)) {
    if (names.includes('out')) return `did you mean '--out'?`;
    return isGroup ? groupHint(command) : describeOutput(command, leaf, flags);
  }
  const usual = FLAGS_OF_OTHER_TOOLS.get(flag);
  if (usual !== undefined) return `did you mean '${usual}'?`;
  // Flags with names close to --file, such as --time, do not take files.
  const near =
    flag.startsWith('--') && flag !== '--file' ? findNearest(flag.slice(2), names) : undefined;
  const begun = names.filter((name) => name.startsWith(`${flag.slice(2)}-`));
  const meant = near !== undefined && begun.length === 0 ? [near] : begun.slice(0, MAX_SUGGESTIONS);
  if (meant.length > 0) return `did you mean ${meant.map((name) => `'--${name}'`).join(' or ')}?`;
  return isGroup ? groupHint(command) : hint`to list the flags, run ${helpStep(command)}`;
}

function groupHint(command: Command): Hint {
  return hint`put flags after a command; to list the commands, run ${helpStep(command)}`;
}

/** Matches flags for an output file. */
const OUTPUT_FLAGS = /^--out(put)?(-?(file|path))?$/;

/** Returns a hint how to save the output of a command without `--out`. */
function describeOutput(
  command: Command,
  leaf: LoadedLeaf | undefined,
  flags: readonly OptionDefinition[],
): string | Hint {
  const path = commandWords(command);
  if (path.join(' ') === 'api')
    return "to save a plan, use the command of the operation; to save the response, redirect stdout: '> response.json'";
  const names = flags.map(longName);
  if (names.includes('save'))
    return 'the result is a secret, which no plan contains; to save the secret, use --save';
  const entry = leaf?.kind === 'operation' ? leaf.versions[0] : leaf?.operation;
  if (entry?.revealsSecrets)
    return "the result is a secret, which no plan contains; to save the secret, redirect stdout: '-q > secret.txt'";
  if (leaf && argumentsOf(leaf).some(({ file }) => file === 'export'))
    return hint`to save the data, run ${step('inspect', ...path, 'state.json')}`;
  const output = flags.find(
    (flag) => OWN_OUTPUTS.includes(flag.file) && /^(file|har)$/.test(longName(flag)),
  );
  const html = names.includes('html') && command.opts()['html'] !== true ? '--html ' : '';
  return output
    ? `did you mean '${html}--${longName(output)}'?`
    : "to save the output, redirect stdout: '> output.txt'";
}

/** Uses of files that a command has instead of `--out`. */
const OWN_OUTPUTS: readonly OptionDefinition['file'][] = ['report', 'har', 'edited'];

/**
 * An action: the verb for messages, its command names (preferred name first), and the names of
 * similar actions.
 */
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

const NOUNS: ReadonlyMap<string, string> = new Map([
  ['groups', 'user groups'],
  ['crdt', 'editor content'],
  ['workspace', 'workspaces'],
  ['email', 'email configurations'],
  ['permission-provider', 'permission providers'],
]);

const MAX_SUGGESTIONS = 3;

/**
 * Describes an unknown word after a group: a synonym, a typo, or an operation that the service does
 * not have.
 */
function describeUnknownCommand(
  word: string,
  command: Command,
  root: Node,
): [message: string, hint: string | Hint] {
  const message = `unknown command '${word}'`;
  const dashHint = findDashHint([word]);
  if (dashHint !== undefined) return [message, dashHint];
  const node = findByPath(root, commandWords(command)) ?? root;
  const rest = command.args.slice(command.args.indexOf(word) + 1);
  const action = ACTIONS.find(({ words }) => words.includes(word));
  if (action && node !== root)
    return describeMissingAction(action, node, { message, given: rest, root });
  const group = action && findGroup(root, rest[0]);
  if (group) return describeMissingAction(action, group, { message, given: rest.slice(1), root });
  if (action === LIST) return [message, listHint(root)];
  return [message, wordHint([word, ...rest], command, root)];
}

/** Finds the group of a noun after a verb, as in `list users` and `create user`. */
function findGroup(root: Node, noun: string | undefined): Node | undefined {
  const group = noun === undefined ? undefined : findChild(root, noun);
  return group?.isGroup ? group : undefined;
}

interface MissingAction {
  readonly message: string;
  /** Words after the group and the action. */
  readonly given: readonly string[];
  readonly root: Node;
}

/** Suggests a command of the group for an action that it has under another name, if it has one. */
function describeMissingAction(
  action: Action,
  node: Node,
  { message, given, root }: MissingAction,
): [message: string, hint: string | Hint] {
  const suggested = suggestCommands(node, [...action.words, ...(action.similar ?? [])]);
  if (suggested.length > 0)
    return [message, didYouMean(suggested.map(({ path }) => suggest(path, root, given)))];
  const hasOperations = [...node.children.values()].some(({ leaf }) => leaf?.kind === 'operation');
  if (!hasOperations) return [message, commandsHint(node)];
  const noun = NOUNS.get(node.name) ?? node.name.replaceAll('-', ' ');
  return [
    `the service has no operation that ${action.verb} ${noun}`,
    localHint(node.name, action, given) ?? commandsHint(node),
  ];
}

/** @param given words after the group */
function localHint(kind: string, { verb }: Action, given: readonly string[]): Hint | undefined {
  if (!ONLY_LOCAL_LISTS.includes(kind) || !/^(list|show)s$/.test(verb)) return undefined;
  const organization = kind === 'organizations' ? [] : organizationWords(given);
  const [id = ''] = given;
  const shown = SHOWN_KINDS.find((each) => `${each}s` === kind);
  if (verb === 'shows' && shown && id !== '' && !id.startsWith('-'))
    return hint`to show one of the embedded service, run ${step('inspect', 'local', 'show', shown, id, ...organization)}`;
  return hint`to list those of the embedded service, run ${step('inspect', 'local', 'list', kind, ...organization)}`;
}

function organizationWords(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => /^--org(=|$)/.test(word));
  const [, value = words[at + 1]] = /^--org=(.*)$/s.exec(words[at] ?? '') ?? [];
  return at < 0 || value === undefined ? [] : ['--org', value];
}

/**
 * Finds the group's first command with one of the names. Without one, finds commands of its
 * subgroups.
 */
function suggestCommands(node: Node, words: readonly string[]): readonly Node[] {
  const own = words.flatMap((word) => node.children.get(word) ?? []).slice(0, 1);
  if (own.length > 0) return own;
  const word = words.find((each) =>
    [...node.children.values()].some(({ children }) => children.has(each)),
  );
  return [...node.children.values()]
    .flatMap(({ children }) => children.get(word ?? '') ?? [])
    .slice(0, MAX_SUGGESTIONS);
}

function listHint(root: Node): Hint {
  const groups = [...root.children.values()].filter(({ name }) => name !== 'local');
  const lists = groups.flatMap(({ children }) => children.get('list') ?? []);
  const [first, ...others] = lists.map(({ path }) => hint`${suggest(path, root)}`);
  return others.reduce(
    (text, next) => hint`${text}, ${next}`,
    hint`commands that list records: ${first ?? ''}`,
  );
}

/**
 * Suggests only groups for a subcommand, because many groups have commands such as list and show.
 */
function wordHint(words: readonly string[], command: Command, root: Node): string | Hint {
  const node = findByPath(root, commandWords(command)) ?? root;
  const [given = '', ...rest] = words;
  const word = node === root && /^docs?$/.test(given) ? 'documents' : given;
  if (SHORTCUTS.has(word)) return didYouMean([suggest([word], root)]);
  const others = node === root ? [...SHORTCUTS.keys(), 'help'] : [];
  const otherTools = node === root ? findOtherToolsHint(word, rest) : undefined;
  if (otherTools) return otherTools;
  const nearest = findNearestPath(node, [word, ...rest], others);
  if (nearest.length > 0)
    return didYouMean([suggest([...commandWords(command), ...nearest], root, rest)]);
  const nodes = [...findNodes(root, word)].filter(({ isGroup }) => !command.parent || isGroup);
  if (nodes.length > 0 && nodes.length <= MAX_SUGGESTIONS) {
    const paths = nodes.map((found) => [...found.path, ...findNearestPath(found, rest)]);
    return didYouMean(paths.map((path) => suggest(path, root, rest)));
  }
  return command.parent
    ? commandsHint(node)
    : hint`to list the commands, run ${step('help', 'help')}`;
}

function commandsHint({ path }: Node): Hint {
  return hint`to list its commands, run ${step('help', ...path, '--help')}`;
}

function didYouMean([first, ...others]: readonly NextStep[]): Hint {
  const all = others.reduce((text, next) => hint`${text} or '${next}'`, hint`'${first ?? ''}'`);
  return hint`did you mean ${all}?`;
}

/**
 * Suggests a command. Only an operation certainly takes the flags that select a service.
 * @param given words after the word that is not a command
 */
function suggest(words: readonly string[], root: Node, given: readonly string[] = []): NextStep {
  const node = findByPath(root, words);
  if (node && !node.leaf) return step('help', ...words);
  if (node?.leaf?.kind !== 'operation') return step('inspect', ...words);
  return step('list', ...words, ...organizationWords(given));
}

/** Adds the values that suggested operations require, for the user to fill in. */
export async function completeSuggestions(error: SvcError): Promise<SvcError> {
  const { structuredHint, cause } = error;
  if (Object(cause).code !== 'commander.unknownCommand' || !(structuredHint instanceof Hint))
    return error;
  const root = commandTree();
  const completed = await Promise.all(structuredHint.steps.map((each) => complete(each, root)));
  const bySuggestion = new Map(structuredHint.steps.map((each, at) => [each, completed[at]]));
  return error.reworded({
    hint: structuredHint.withSteps((each) => bySuggestion.get(each) ?? each),
  });
}

async function complete(suggestion: NextStep, root: Node): Promise<NextStep> {
  const { command, placeholder } = suggestion;
  const end = command.findIndex((word) => word.startsWith('-'));
  const leaf = findByPath(root, end < 0 ? command : command.slice(0, end))?.leaf;
  if (leaf?.kind !== 'operation' || placeholder !== undefined || command.includes('--file'))
    return suggestion;
  const loaded = await loadLeaf(leaf);
  if (loaded.kind !== 'operation') return suggestion;
  const [{ argument, flags }] = loaded.versions;
  const required = flags
    .filter(({ path, required: isRequired }) => isRequired && path.at(-1) !== argument?.field)
    .map(({ name }) => `--${name}`)
    .filter((flag) => !command.includes(flag));
  const missing = [
    ...(argument ? [`<${argument.field}>`] : []),
    ...flagsOf(loaded).flatMap(({ flags: text }) =>
      required.includes(text.split(' ', 1).join()) ? text : [],
    ),
  ];
  return missing.length > 0 ? { ...suggestion, placeholder: missing.join(' ') } : suggestion;
}

function* findNodes(node: Node, name: string): Generator<Node> {
  if (node.name === name && (node.leaf || node.isGroup)) yield node;
  for (const child of node.children.values()) yield* findNodes(child, name);
}
