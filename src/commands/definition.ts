import type { Column, Examples } from '../catalog/define.ts';
import type { OperationName } from '../catalog/index.ts';
import type { OperationEntry } from '../catalog/manifest.ts';
import type { Context } from './context.ts';
import type { ListEnd } from './list-flags.ts';
import type {
  FileUse,
  GlobalFlagGroup,
  OptionDefinition,
  OptionsOf,
  ParsedOptions,
} from './options.ts';

export type { GlobalFlagGroup, OptionDefinition, OptionsOf, ParsedOptions };

/** A positional argument. With `many`, the argument takes all remaining words. */
export interface ArgumentDefinition {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly many?: true;
  /** The value is the path of a file. */
  readonly file?: FileUse;
  /** Empty words have a meaning (default: they are rejected). */
  readonly mayBeEmpty?: true;
}

/**
 * Positional arguments and parsed options of a command line. Without a type argument, no option can
 * be read.
 */
export interface Invocation<Options extends object = object> {
  readonly arguments: readonly string[];
  readonly options: Options;
}

export type RunCommand<Options extends object> = (
  context: Context,
  invocation: Invocation<Options>,
) => Promise<void>;

/** Returns a command that reads its whole input first, and then works with it. */
export function withInput<Options extends object, Input>(
  read: (context: Context, options: Options, words: readonly string[]) => Promise<Input>,
  run: (context: Context, input: Input, options: Options) => Promise<void>,
): RunCommand<Options> {
  return async (context, { options, arguments: words }) =>
    run(context, await read(context, options, words), options);
}

/**
 * A hand-written command. Help and completion read only the definition; `load` imports the code to
 * run the command.
 */
export interface CommandDefinition {
  readonly command: readonly [string, ...string[]];
  readonly summary: string;
  /** Runs, but is in no list of commands. */
  readonly isHidden?: boolean;
  readonly description?: string;
  readonly examples?: Examples;
  readonly arguments?: readonly ArgumentDefinition[];
  readonly options?: readonly OptionDefinition[];
  readonly columns?: readonly Column[];
  /** The command prints a list: `--sort`, `--limit`, and `--all` select its records. */
  readonly listEnd?: ListEnd;
  /**
   * Operation whose flags the command also accepts. Help lists them before the command's own flags.
   */
  readonly flagsOf?: OperationName;
  /** Groups of global flags that the command accepts. Flags of other groups are rejected. */
  readonly globalFlags: readonly GlobalFlagGroup[];
  readonly load: () => Promise<RunCommand<ParsedOptions>>;
}

/**
 * Runs a command that has one or more versions of an operation. The first version is the default.
 */
export type RunOperation<Options extends object = ParsedOptions> = (
  context: Context,
  versions: readonly [OperationEntry, ...OperationEntry[]],
  invocation: Invocation<Options>,
) => Promise<void>;

/**
 * Custom code for an operation that takes more than one call. The command keeps the operation's
 * summary, flags, and checks. `options` are its additional flags.
 */
export interface OperationRunner {
  readonly operation: OperationName;
  readonly options: readonly OptionDefinition[];
  readonly load: () => Promise<RunOperation>;
}

export type Leaf =
  | {
      readonly kind: 'operation';
      readonly names: readonly OperationName[];
      readonly runner?: () => Promise<OperationRunner>;
    }
  | { readonly kind: 'tool'; readonly definition: () => Promise<CommandDefinition> };

export interface Node {
  readonly name: string;
  readonly path: readonly string[];
  readonly summary: string;
  readonly leaf?: Leaf;
  readonly isHidden?: boolean;
  /** Whether it has children, which are created when they are read. */
  readonly isGroup: boolean;
  readonly children: Map<string, Node>;
}

type Loaded<Definition, Options, Run> = Omit<Definition, 'options' | 'flagsOf' | 'load'> & {
  readonly options: Options;
  readonly load: () => Promise<Run>;
};

type KeysRead<Run extends (...input: never[]) => unknown> =
  Extract<Parameters<Run>[number], Invocation> extends Invocation<infer Options>
    ? keyof Options
    : never;

type ReadsOnly<
  Options extends readonly OptionDefinition[],
  Run extends (...input: never[]) => unknown,
> = [Exclude<KeysRead<Run>, keyof OptionsOf<Options>>] extends [never]
  ? unknown
  : { readonly undefinedOption: Exclude<KeysRead<Run>, keyof OptionsOf<Options>> };

/**
 * Defines a command with type-checked options. The option definitions must be constant
 * (`as const`).
 */
export function defineCommand<
  const Options extends readonly OptionDefinition[],
  Run extends RunCommand<OptionsOf<Options>>,
>(command: Loaded<CommandDefinition, Options, Run> & ReadsOnly<Options, Run>): CommandDefinition {
  // The same definitions parse the command line, so the values have the inferred types.
  return command as CommandDefinition;
}

export function defineRunner<
  const Options extends readonly OptionDefinition[],
  Run extends RunOperation<OptionsOf<Options>>,
>(runner: Loaded<OperationRunner, Options, Run> & ReadsOnly<Options, Run>): OperationRunner {
  return runner as OperationRunner;
}

/** Whether a command, or any command of a group, is in lists of commands. */
export function isListed({ leaf, isHidden, children }: Node): boolean {
  return (leaf !== undefined && !isHidden) || [...children.values()].some(isListed);
}
