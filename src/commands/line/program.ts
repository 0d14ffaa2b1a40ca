import { Command, Option, type OutputConfiguration } from 'commander';
import { SvcError } from '../../kernel/errors.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { version } from '../../kernel/version.ts';
import type { Context, GlobalOptions } from '../context.ts';
import type { ArgumentDefinition, CommandDefinition, Invocation, Node, OptionDefinition } from '../definition.ts';
import { GLOBAL_FLAGS, globalOptions, HELP_FLAG, VERSION_FLAG } from '../global-flags.ts';
import { helpText } from '../help/command-help.ts';
import { helpAt } from '../help/help-at.ts';
import { argumentsOf, flagsOf, type LoadedLeaf, loadLeaf } from '../tree/leaf.ts';
import { commandTree, HELP_SUMMARY } from '../tree/tree.ts';
import { refused } from './usage-error.ts';

/** Functions that the program calls. */
export interface ProgramDependencies {
  /** Makes the context once the global flags are known. */
  readonly enter: (options: GlobalOptions, command: Command) => Context;
  readonly print: (text: string) => void;
}

/**
 * The command line as a commander program. A level of the tree is filled in only when parsing reaches it, so the
 * cost of a call does not grow with the number of commands.
 */
export async function createProgram(dependencies: ProgramDependencies): Promise<Command> {
  const tree = commandTree();
  const program = await grow(new Command('svc'), tree, { ...dependencies, tree });
  for (const flag of GLOBAL_FLAGS) addOption(program, flag);
  program.version(version, VERSION_FLAG.flags, VERSION_FLAG.describes);
  program
    .command('help [command...]')
    .description(HELP_SUMMARY)
    .action((words: string[]) => showHelp(words, dependencies));
  return program;
}

async function showHelp(words: readonly string[], dependencies: ProgramDependencies): Promise<void> {
  const { findSubject } = await import('../help/find.ts');
  const { topic, command } = findSubject(commandTree(), words);
  if (topic) {
    const { topicText } = await import('../help/topics.ts');
    dependencies.print(command ? `${topicText(topic)}\n` : topicText(topic));
  }
  if (command) dependencies.print((await helpAt(command)) ?? '');
}

interface Growing extends ProgramDependencies {
  /** The tree that the program is made of, from its root. */
  readonly tree: Node;
}

async function grow(command: Command, node: Node, dependencies: Growing): Promise<Command> {
  const leaf = node.leaf && (await loadLeaf(node.leaf));
  command
    .exitOverride((error) => {
      throw refused(error, command, dependencies.tree);
    })
    .helpCommand(false)
    .helpOption(HELP_FLAG.flags, HELP_FLAG.describes)
    .configureOutput(outputOf(dependencies))
    .configureHelp({ formatHelp: () => helpText(node, leaf) });
  if (leaf) return addLeaf(command, leaf, dependencies);
  for (const child of node.children.values()) {
    if (child.leaf || child.children.size > 0) command.addCommand(new Command(child.name).description(child.summary));
  }
  command.hook('preSubcommand', async (_parent, chosen) => {
    const child = node.children.get(chosen.name());
    if (child) await grow(chosen, child, dependencies);
  });
  return command;
}

const HELP_WIDTH = 80;

/** Help goes where the caller collects it. Colour and width are ours to choose, so commander need not open the streams to ask. */
function outputOf({ print }: ProgramDependencies): OutputConfiguration {
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
  for (const flag of flagsOf(leaf)) onlyOnce(addOption(command, flag), flag);
  for (const argument of argumentsOf(leaf)) addArgument(command, argument);
  // Refused below, where more is known of what was meant.
  command.allowExcessArguments();
  return command.action(async () => {
    const stray = strayWords(command);
    if (stray.length > 0) throw (await import('./stray-words.ts')).strayWordsError(command, flagsOf(leaf), stray);
    const context = dependencies.enter(globalOptions(rootOf(command).opts()), command);
    await run(context, leaf, invocation(command));
  });
}

async function run(context: Context, leaf: LoadedLeaf, invoked: Invocation): Promise<void> {
  if (leaf.kind === 'tool') return runTool(context, leaf.definition, invoked);
  const { loadRunner } = await import('../run/operation.ts');
  const runOperation = await loadRunner(leaf.runner);
  return runOperation(context, leaf.versions, invoked);
}

async function runTool(context: Context, definition: CommandDefinition, invoked: Invocation): Promise<void> {
  const tool = await definition.load();
  return tool(context, invoked);
}

function invocation(command: Command): Invocation {
  return { arguments: command.args, options: command.opts() };
}

/** The words behind those that the command takes. */
function strayWords({ args, registeredArguments: taken }: Command): readonly string[] {
  return taken.at(-1)?.variadic ? [] : args.slice(taken.length);
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command;
}

function addArgument(command: Command, { name, describes, required, many }: ArgumentDefinition): void {
  const shown = many ? `${name}...` : name;
  command.argument(required ? `<${shown}>` : `[${shown}]`, describes);
}

function addOption(command: Command, { flags, describes, choices, many }: OptionDefinition): Option {
  const option = new Option(flags, describes);
  if (describes === '') option.hideHelp();
  if (choices) addChoices(option, choices);
  if (many) {
    const { parseArg: parse = (value) => value } = option;
    option.argParser((value: string, earlier: readonly unknown[] = []) => [...earlier, parse(value, undefined)]);
  }
  // `--no-x` alone would make `x` true from the start; a flag that was not given has no value here.
  if (option.negate) option.default(undefined);
  command.addOption(option);
  return option;
}

/** Values that commander lists in help; what is none of them is answered with the nearest. */
function addChoices(option: Option, choices: readonly string[]): void {
  option.choices([...choices]).argParser((value: string) => {
    if (choices.includes(value)) return value;
    const flag = option.long ?? option.flags;
    throw new SvcError('usage', `${flag}: '${value}' is not one of ${choices.join(', ')}`, {
      hint: didYouMean(value, choices),
    });
  });
}

/** Refuses a second value of a flag that takes one: a list was meant, and only its last value would count. */
function onlyOnce(option: Option, { many }: OptionDefinition): void {
  if (many || option.isBoolean() || option.negate) return;
  const { parseArg } = option;
  option.argParser((value: string, earlier: unknown) => {
    if (earlier !== undefined) throw new SvcError('usage', `${option.long ?? option.flags} is given twice`);
    return parseArg ? parseArg(value, undefined) : value;
  });
}
