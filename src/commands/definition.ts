import type { Example } from '../catalog/define.ts';
import type { OperationName } from '../catalog/index.ts';
import type { OperationEntry } from '../catalog/manifest.ts';
import type { Context } from './context.ts';

/** A positional argument; `many` takes the rest of the line. */
export interface ArgumentDefinition {
  readonly name: string;
  readonly describes: string;
  readonly required: boolean;
  readonly many?: true;
}

/** A flag of a hand-written command: `--port <n>`. Its parsed value arrives under the camel-cased name. */
export interface OptionDefinition {
  readonly flags: string;
  readonly describes: string;
  readonly choices?: readonly string[];
  /** May be given several times; the values arrive as an array. */
  readonly many?: true;
}

/** What a hand-written command receives: positional arguments in order, and the flags that were given. */
export interface Invocation {
  readonly arguments: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}

/**
 * A hand-written command as a value. The definition is plain data, so that help and completion cost nothing; `load`
 * brings the code in when the command runs.
 */
export interface CommandDefinition {
  readonly command: readonly [string, ...string[]];
  readonly summary: string;
  readonly description?: string;
  readonly examples?: readonly Example[];
  readonly arguments?: readonly ArgumentDefinition[];
  readonly options?: readonly OptionDefinition[];
  /** It takes the flags of this operation too, before its own. */
  readonly flagsOf?: OperationName;
  readonly load: () => Promise<(context: Context, invocation: Invocation) => Promise<void>>;
}

/** Runs a command that stands for operations of the catalog; the first is the version that is meant unless another is named. */
export type RunOperation = (
  context: Context,
  versions: readonly [OperationEntry, ...OperationEntry[]],
  invocation: Invocation,
) => Promise<void>;

/**
 * Code of its own for a command of the catalog that takes more than a call. Summary, flags and checks stay the
 * operation's; `options` stand behind its flags.
 */
export interface OperationRunner {
  readonly operation: OperationName;
  readonly options: readonly OptionDefinition[];
  readonly load: () => Promise<RunOperation>;
}

/** A command of the tree: one or several operations of the catalog under one name, or a hand-written tool. */
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
