import {
  Command,
  CommanderError,
  type HelpConfiguration,
  Option,
  type OutputConfiguration,
} from 'commander';
import { SvcError } from '../../kernel/errors.ts';
import { findNearest } from '../../kernel/nearest.ts';
import { quoteForShell } from '../../kernel/quote-for-shell.ts';
import { version } from '../../kernel/version.ts';
import { ensureSecretsAllowed } from '../connection/protections.ts';
import type { Context, GlobalOptions } from '../context.ts';
import type { Node, OptionDefinition } from '../definition.ts';
import { GLOBAL_FLAGS, HELP_FLAG, parseGlobalOptions, VERSION_FLAG } from '../global-flags.ts';
import type { HelpPage } from '../help/blocks.ts';
import { createCommandHelp, helpForPath } from '../help/command-help.ts';
import { findHelpSubject } from '../help/find-subject.ts';
import { ROOT_HELP, START_SCREEN } from '../help/root-help.ts';
import { LIST_FLAGS, parseListOptions } from '../list-flags.ts';
import { longName, optionalProperty, selectOptions } from '../options.ts';
import { checkCommandFiles } from '../outputs/command-files.ts';
import type { ContextOrigin } from '../run/open-context.ts';
import { aliasesOf, findChild, SHORTCUTS } from '../tree/aliases.ts';
import { argumentsOf, flagsOf, type LoadedLeaf, loadLeaf, printsList } from '../tree/leaf.ts';
import { commandTree, HELP_SUMMARY } from '../tree/tree.ts';
import { checkGlobalFlags, honoredFlagsOf, isLocalOnly } from './honored-flags.ts';
import { toUsageError } from './usage-error.ts';

export interface ProgramDependencies {
  /** The command line. Without it, all commands and flags are defined. */
  readonly words?: readonly string[];
  readonly openContext: (
    options: GlobalOptions,
    command: Command,
    origin: ContextOrigin,
  ) => Context;
  /** Receives the version. */
  readonly print: (text: string) => void;
  readonly showHelp: (page: HelpPage) => void;
}

/**
 * Creates the commander program. Adds each level of the command tree only when parsing reaches it,
 * and of a level only the commands and flags that the command line names, so their number does not
 * affect start-up time.
 */
export async function createProgram(dependencies: ProgramDependencies): Promise<Command> {
  const tree = commandTree();
  const program = await defineCommand(new Command('svc'), tree, { ...dependencies, tree });
  for (const flag of findGiven(GLOBAL_FLAGS, dependencies.words)) addOption(program, flag);
  program.version(version, VERSION_FLAG.flags, VERSION_FLAG.description);
  program
    .command('help [command...]')
    .description(HELP_SUMMARY)
    .action((words: string[]) => showSubject(words, dependencies));
  return program;
}

async function showSubject(
  words: readonly string[],
  dependencies: ProgramDependencies,
): Promise<void> {
  const { topic, command } = findHelpSubject(commandTree(), words);
  if (topic) {
    const { createTopicPage } = await import('../help/topics.ts');
    dependencies.showHelp(createTopicPage(topic));
  }
  if (command) dependencies.showHelp((await helpForPath(command)) ?? []);
}

async function defineCommand(
  command: Command,
  node: Node,
  dependencies: ProgramDependencies & { readonly tree: Node },
) {
  const leaf = node.leaf && (await loadLeaf(node.leaf));
  command
    .exitOverride((error) => {
      throw toUsageError(error, command, dependencies.tree, leaf);
    })
    .helpCommand(false)
    .helpOption(HELP_FLAG.flags, HELP_FLAG.description)
    .configureOutput(outputConfiguration(dependencies))
    .configureHelp(helpConfiguration(command, node, leaf, dependencies));
  if (leaf) addLeaf(command, leaf, dependencies);
  for (const child of findNamed(node, dependencies.words)) command.addCommand(child);
  command.hook('preSubcommand', async (_parent, chosen) => {
    const child = findChild(node, chosen.name());
    const [given] = leaf ? Object.keys(command.opts()) : [];
    if (given !== undefined) {
      const message = `--${given.replace(/[A-Z]/g, '-$&').toLowerCase()} is a flag of svc ${node.path.join(' ')}`;
      throw new SvcError(
        'usage',
        `${message}, not of svc ${[...node.path, chosen.name()].join(' ')}`,
      );
    }
    if (child) await defineCommand(chosen, child, dependencies);
  });
  return command;
}

/**
 * Creates the children of a node that the command line may name, and at least one: commander treats
 * a command without children differently.
 */
function findNamed(node: Node, words: readonly string[] | undefined): readonly Command[] {
  const children = [...node.children.values()]
    .filter(({ leaf, isGroup }) => leaf || isGroup)
    .map((child) => ({ name: child.name, aliases: aliasesOf(child) }));
  const shortcuts = node.path.length > 0 ? [] : [...SHORTCUTS.keys()];
  const all = [...children, ...shortcuts.map((name) => ({ name, aliases: [] }))];
  const named = all.filter(
    ({ name, aliases }) => !words || [name, ...aliases].some((word) => words.includes(word)),
  );
  return (named.length > 0 ? named : all.slice(0, 1)).map(({ name, aliases }) =>
    new Command(name).aliases(aliases),
  );
}

/**
 * Configures the help of a command. At the root, a line without a command gets the start screen. An
 * unknown command gets an error in place of the help of its group.
 */
function helpConfiguration(
  command: Command,
  node: Node,
  leaf: LoadedLeaf | undefined,
  { showHelp, tree }: ProgramDependencies & { readonly tree: Node },
): HelpConfiguration {
  // commander prints text; the pages are rendered for the terminal.
  const show = (page: HelpPage) => {
    const [word] = command.args;
    if (!leaf && word !== undefined && !word.startsWith('-')) {
      const message = `unknown command '${word}'`;
      const error = new CommanderError(1, 'commander.unknownCommand', message);
      throw toUsageError(error, command, tree);
    }
    showHelp(page);
    return '';
  };
  if (node.path.length > 0) return { formatHelp: () => show(createCommandHelp(node, leaf)) };
  let isStart = false;
  return {
    prepareContext: ({ error = false }) => {
      isStart = error;
    },
    formatHelp: () => show(isStart ? START_SCREEN : ROOT_HELP),
  };
}

const HELP_WIDTH = 80;

/**
 * Passes the version to the caller. With a fixed color setting and width, commander does not open the
 * standard streams.
 */
function outputConfiguration({ print }: ProgramDependencies): OutputConfiguration {
  return {
    writeOut: print,
    writeErr: print,
    outputError: () => undefined,
    getOutHasColors: () => false,
    getErrHasColors: () => false,
    getOutHelpWidth: () => HELP_WIDTH,
    getErrHelpWidth: () => HELP_WIDTH,
  };
}

function addLeaf(command: Command, leaf: LoadedLeaf, dependencies: ProgramDependencies): Command {
  for (const flag of findGiven(flagsOf(leaf), dependencies.words))
    rejectRepeats(addOption(command, flag), flag);
  for (const { name, description, required, many } of argumentsOf(leaf)) {
    const shown = many ? `${name}...` : name;
    command.argument(required ? `<${shown}>` : `[${shown}]`, description);
  }
  command.allowExcessArguments();
  return command.action(async () => {
    const { args, registeredArguments } = command;
    const extra = registeredArguments.at(-1)?.variadic
      ? []
      : args.slice(registeredArguments.length);
    if (extra.length > 0)
      throw (await import('./extra-arguments.ts')).createExtraArgumentsError(
        command,
        flagsOf(leaf),
        extra,
      );
    const operands = argumentsOf(leaf);
    const empty = operands[args.indexOf('')] ?? operands.at(-1);
    if (empty && !empty.mayBeEmpty && args.includes('')) throw createEmptyError(`<${empty.name}>`);
    const given = rootOf(command).opts();
    const options = {
      ...parseGlobalOptions(given),
      ...(printsList(leaf) && {
        list: parseListOptions(selectOptions(LIST_FLAGS, command.opts())),
      }),
    };
    checkGlobalFlags(leaf, given, command);
    const context = dependencies.openContext(options, command, {
      isLocalOnly: isLocalOnly(leaf),
      credential: credentialOf(leaf),
      ...optionalProperty('words', dependencies.words),
    });
    if (options.showSecrets) {
      await ensureSecretsAllowed(context);
    }
    const invocation = { arguments: command.args, options: command.opts() };
    const connects = !options.local && honoredFlagsOf(leaf)('client-cert');
    await checkCommandFiles(context, flagsOf(leaf), argumentsOf(leaf), invocation, connects);
    if (leaf.kind === 'tool') return (await leaf.definition.load())(context, invocation);
    const { loadRunner } = await import('../run/run-operation.ts');
    await (await loadRunner(leaf.runner))(context, leaf.versions, invocation);
  });
}

/** Returns the credential that identifies the target: workspaces and API keys share an address. */
function credentialOf(leaf: LoadedLeaf): ContextOrigin['credential'] & string {
  const isOfWorkspace = leaf.kind === 'operation' && leaf.versions[0].auth === 'workspace';
  return isOfWorkspace ? 'workspaceId' : 'apiKey';
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command;
}

/** Returns the flags that a line may contain: as `--output`, `--output=json`, `-o`, or `-qojson`. */
function findGiven(
  flags: readonly OptionDefinition[],
  words: readonly string[] | undefined,
): readonly OptionDefinition[] {
  if (!words) return flags;
  const hasShort = words.some((word) => /^-[^-]/.test(word));
  const given = new Set(words.map((word) => word.split('=', 1)[0]));
  return flags.filter(
    (flag) => given.has(`--${longName(flag)}`) || (hasShort && !flag.flags.startsWith('--')),
  );
}

function addOption(
  command: Command,
  { flags, description, choices, many, mayBeEmpty }: OptionDefinition,
): Option {
  const option = new Option(flags, description);
  if (choices) addChoices(option, choices);
  if (!mayBeEmpty && /<(dir|file|id|path)>$/.test(flags)) rejectEmptyValue(option);
  if (many) {
    const { parseArg: parse = (value) => value } = option;
    option.argParser((value: string, earlier: readonly unknown[] = []) => [
      ...earlier,
      parse(value, undefined),
    ]);
  }
  // Otherwise, commander sets `x` to true for an option that has only `--no-x`.
  if (option.negate) option.default(undefined);
  command.addOption(option);
  return option;
}

function rejectEmptyValue(option: Option): void {
  option.argParser((value: string) => {
    if (value === '') throw createEmptyError(option.long ?? option.flags);
    return value;
  });
}

/** Creates the error for an empty word. Resolved as a path, it would name the current folder. */
function createEmptyError(name: string): SvcError {
  return new SvcError('usage', `${name} is empty`, {
    hint: 'if the value comes from a variable, check that it is set',
  });
}

function addChoices(option: Option, choices: readonly string[]): void {
  option.choices([...choices]).argParser((value: string) => {
    if (choices.includes(value)) return value;
    const flag = option.long ?? option.flags;
    if (value.startsWith('--'))
      throw new SvcError(
        'usage',
        `${flag} requires a value: ${option.flags.replace(/^-\w, /, '')}`,
        {
          hint: `known: ${choices.join(', ')}`,
        },
      );
    const [, extension = ''] = flag === '--output' ? (/\.(\w+)$/.exec(value) ?? []) : [];
    const near = findNearest(extension || value, choices);
    const hint = choices.includes(extension)
      ? `to write ${extension.toUpperCase()} to a file, use -o ${extension} > ${quoteForShell(value)}`
      : near && `did you mean '${near}'?`;
    throw new SvcError('usage', `${flag} must be one of ${choices.join(', ')}, got '${value}'`, {
      ...(hint !== undefined && { hint }),
    });
  });
}

/**
 * Rejects a repeated flag that takes a single value. Otherwise, only the last value would be used.
 */
function rejectRepeats(option: Option, { many }: OptionDefinition): void {
  if (many || option.isBoolean() || option.negate) return;
  const { parseArg } = option;
  option.argParser((value: string, earlier: unknown) => {
    if (earlier !== undefined)
      throw new SvcError('usage', `${option.long ?? option.flags} can be given only once`);
    return parseArg ? parseArg(value, undefined) : value;
  });
}
