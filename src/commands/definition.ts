import type { Column, Example } from '../catalog/define.ts';
import type { OperationName } from '../catalog/index.ts';
import type { OperationEntry } from '../catalog/manifest.ts';
import type { Context } from './context.ts';

/**
 * Global flags that only some commands can honor, by purpose: flags that select and reach the service, the profile alone, the
 * embedded service alone, requests to other servers, the form of the result, and `--envelope` and `--dry-run`.
 */
export type GlobalFlagGroup =
  | 'service'
  | 'connection'
  | 'request'
  | 'profile'
  | 'local'
  | 'result'
  | 'envelope'
  | 'dry-run';

/** A positional argument. With `many`, the argument takes the rest of the line. */
export interface ArgumentDefinition {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly many?: true;
}

/** A flag of a hand-written command: `--port <n>`. The key of the parsed value is the camel-cased name. */
export interface OptionDefinition {
  readonly flags: string;
  readonly description: string;
  readonly choices?: readonly string[];
  /** The flag is repeatable; its values arrive as an array. */
  readonly many?: true;
  /** The flag tunes a bulk job; help lists it after the flags of the task. */
  readonly isTuning?: true;
  /** Help omits the flag, which only scripts need. */
  readonly isHidden?: true;
}

/** Long name of an option: `max-depth` of `-d, --max-depth <n>`. */
type LongName<Flags extends string> = Flags extends `${string}--${infer Rest}`
  ? Rest extends `${infer Name} ${string}`
    ? Name
    : Rest
  : never;

type CamelCase<Words extends string> = Words extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Words;

/** Key of an option's parsed value: `maxDepth` for `--max-depth <n>`, `record` for `--no-record`. */
type OptionKey<Flags extends string> =
  LongName<Flags> extends `no-${infer Name}` ? CamelCase<Name> : CamelCase<LongName<Flags>>;

/** Text of an option that takes a value: one of its choices, if it has any. */
type OptionText<Definition> = Definition extends { readonly choices: readonly (infer Choice)[] } ? Choice : string;

/** Parsed value of an option. `--record <dir>` and `--no-record` share a key: text or false. */
type OptionValue<Definition> = Definition extends { readonly flags: infer Flags extends string }
  ? Flags extends `${string}<${string}`
    ? Definition extends { readonly many: true }
      ? readonly OptionText<Definition>[]
      : OptionText<Definition>
    : LongName<Flags> extends `no-${string}`
      ? false
      : boolean
  : never;

/** Parsed values of options, inferred from their definitions. The definitions must be constant (`as const`). */
export type OptionsOf<Definitions extends readonly OptionDefinition[]> = {
  readonly [Definition in Definitions[number] as OptionKey<Definition['flags']>]?: OptionValue<Definition> | undefined;
};

declare const UNTYPED: unique symbol;

/**
 * Parsed values of options whose definitions are only known at run time, by camel-cased long name. The symbol keeps
 * code that expects certain options from being loaded except by `defineCommand`, which checks the definitions.
 */
export interface ParsedOptions {
  readonly [name: string]: string | boolean | readonly string[] | undefined;
  readonly [UNTYPED]?: never;
}

/** Positional arguments in order, and the options that were given. Without a type argument, no option can be read. */
export interface Invocation<Options extends object = object> {
  readonly arguments: readonly string[];
  readonly options: Options;
}

export type RunCommand<Options extends object> = (context: Context, invocation: Invocation<Options>) => Promise<void>;

/**
 * A hand-written command as plain data. Help and completion need only the definition; `load` imports the code when the
 * command runs.
 */
export interface CommandDefinition {
  readonly command: readonly [string, ...string[]];
  readonly summary: string;
  readonly description?: string;
  readonly examples?: readonly Example[];
  readonly arguments?: readonly ArgumentDefinition[];
  readonly options?: readonly OptionDefinition[];
  /** Columns of the list that the command prints. */
  readonly columns?: readonly Column[];
  /** Operation whose flags the command also takes, before its own flags. */
  readonly flagsOf?: OperationName;
  /** Groups of global flags that the command honors. Flags of other groups are refused. */
  readonly globalFlags: readonly GlobalFlagGroup[];
  readonly load: () => Promise<RunCommand<ParsedOptions>>;
}

/** Runs a command that stands for versions of an operation. The first version is the default. */
export type RunOperation<Options extends object = ParsedOptions> = (
  context: Context,
  versions: readonly [OperationEntry, ...OperationEntry[]],
  invocation: Invocation<Options>,
) => Promise<void>;

/**
 * Custom code for an operation that takes more than one call. The command keeps the operation's summary, flags, and
 * checks; `options` are added after its flags.
 */
export interface OperationRunner {
  readonly operation: OperationName;
  readonly options: readonly OptionDefinition[];
  readonly load: () => Promise<RunOperation>;
}

/** A command in the tree: an operation of the catalog, in one or more versions, or a hand-written tool. */
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
  readonly children: Map<string, Node>;
}
