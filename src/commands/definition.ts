import type { Column, Examples } from '../catalog/define.ts';
import type { OperationName } from '../catalog/index.ts';
import type { OperationEntry } from '../catalog/manifest.ts';
import type { Context } from './context.ts';

/**
 * Group of global flags that only some commands accept. `service` selects and connects to the service, `profile`
 * selects only a profile, `local` applies only to the embedded service, and `request` applies to requests to other
 * servers.
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

/** A positional argument. With `many`, the argument takes all remaining words. */
export interface ArgumentDefinition {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly many?: true;
}

/** A flag of a hand-written command. The parsed value is stored under the camel-cased name. */
export interface OptionDefinition {
  readonly flags: string;
  readonly description: string;
  readonly choices?: readonly string[];
  /** The flag is repeatable; its value is an array. */
  readonly many?: true;
  /** The flag tunes a bulk job. Help lists tuning flags last. */
  readonly isTuning?: true;
  /** The flag is for scripts; help omits it. */
  readonly isHidden?: true;
}

/** Long name of an option, such as `max-depth` for `-d, --max-depth <n>`. */
type LongName<Flags extends string> = Flags extends `${string}--${infer Rest}`
  ? Rest extends `${infer Name} ${string}`
    ? Name
    : Rest
  : never;

type CamelCase<Words extends string> = Words extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Words;

/** Key of an option's parsed value, such as `maxDepth` for `--max-depth <n>` and `record` for `--no-record`. */
type OptionKey<Flags extends string> =
  LongName<Flags> extends `no-${infer Name}` ? CamelCase<Name> : CamelCase<LongName<Flags>>;

type OptionText<Definition> = Definition extends { readonly choices: readonly (infer Choice)[] } ? Choice : string;

/** Parsed value of an option. `--record <dir>` and `--no-record` share a key with the type `string | false`. */
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
 * Parsed values of options whose definitions are only known at run time. The symbol makes the type incompatible with
 * specific options, so that only `defineCommand` can convert between the two.
 */
export interface ParsedOptions {
  readonly [name: string]: string | boolean | readonly string[] | undefined;
  readonly [UNTYPED]?: never;
}

/** Positional arguments and parsed options of a command line. Without a type argument, no option can be read. */
export interface Invocation<Options extends object = object> {
  readonly arguments: readonly string[];
  readonly options: Options;
}

export type RunCommand<Options extends object> = (context: Context, invocation: Invocation<Options>) => Promise<void>;

/** A hand-written command. Help and completion read only the definition; `load` imports the code to run the command. */
export interface CommandDefinition {
  readonly command: readonly [string, ...string[]];
  readonly summary: string;
  readonly description?: string;
  readonly examples?: Examples;
  readonly arguments?: readonly ArgumentDefinition[];
  readonly options?: readonly OptionDefinition[];
  /** Columns of the list that the command prints. */
  readonly columns?: readonly Column[];
  /** Operation whose flags the command also accepts. Help lists them before the command's own flags. */
  readonly flagsOf?: OperationName;
  /** Groups of global flags that the command accepts. Flags of other groups are rejected. */
  readonly globalFlags: readonly GlobalFlagGroup[];
  readonly load: () => Promise<RunCommand<ParsedOptions>>;
}

/** Runs a command that has one or more versions of an operation. The first version is the default. */
export type RunOperation<Options extends object = ParsedOptions> = (
  context: Context,
  versions: readonly [OperationEntry, ...OperationEntry[]],
  invocation: Invocation<Options>,
) => Promise<void>;

/**
 * Custom code for an operation that takes more than one call. The command keeps the operation's summary, flags, and
 * checks. `options` are its additional flags.
 */
export interface OperationRunner {
  readonly operation: OperationName;
  readonly options: readonly OptionDefinition[];
  readonly load: () => Promise<RunOperation>;
}

/** A command in the tree. An `operation` comes from the catalog, in one or more versions. A `tool` is hand-written. */
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
