import type {
  CommandDefinition,
  Invocation,
  OperationRunner,
  OptionDefinition,
  OptionsOf,
  RunCommand,
  RunOperation,
} from './definition.ts';

type Loaded<Definition, Options, Run> = Omit<Definition, 'options' | 'flagsOf' | 'load'> & {
  readonly options: Options;
  readonly load: () => Promise<Run>;
};

/** Keys that a function reads from the options of an invocation. */
type KeysRead<Run extends (...input: never[]) => unknown> =
  Extract<Parameters<Run>[number], Invocation> extends Invocation<infer Options> ? keyof Options : never;

/** Rejects a function that reads an option without a definition. */
type ReadsOnly<Options extends readonly OptionDefinition[], Run extends (...input: never[]) => unknown> = [
  Exclude<KeysRead<Run>, keyof OptionsOf<Options>>,
] extends [never]
  ? unknown
  : { readonly undefinedOption: Exclude<KeysRead<Run>, keyof OptionsOf<Options>> };

/** Defines a command whose code reads options. The definitions of the options must be constant (`as const`). */
export function defineCommand<
  const Options extends readonly OptionDefinition[],
  Run extends RunCommand<OptionsOf<Options>>,
>(command: Loaded<CommandDefinition, Options, Run> & ReadsOnly<Options, Run>): CommandDefinition {
  // The command line is parsed by these very definitions, so the values have the types inferred from them.
  return command as object as CommandDefinition;
}

/** Defines a runner that reads its own options in addition to the operation's flags. */
export function defineRunner<
  const Options extends readonly OptionDefinition[],
  Run extends RunOperation<OptionsOf<Options>>,
>(runner: Loaded<OperationRunner, Options, Run> & ReadsOnly<Options, Run>): OperationRunner {
  return runner as object as OperationRunner;
}
