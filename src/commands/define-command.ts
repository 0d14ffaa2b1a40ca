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

type KeysRead<Run extends (...input: never[]) => unknown> =
  Extract<Parameters<Run>[number], Invocation> extends Invocation<infer Options> ? keyof Options : never;

/** Compile-time check that every option that the code reads has a definition. */
type ReadsOnly<Options extends readonly OptionDefinition[], Run extends (...input: never[]) => unknown> = [
  Exclude<KeysRead<Run>, keyof OptionsOf<Options>>,
] extends [never]
  ? unknown
  : { readonly undefinedOption: Exclude<KeysRead<Run>, keyof OptionsOf<Options>> };

/** Defines a command with type-checked options. The option definitions must be constant (`as const`). */
export function defineCommand<const Options extends readonly OptionDefinition[], Run extends RunCommand<OptionsOf<Options>>>(
  command: Loaded<CommandDefinition, Options, Run> & ReadsOnly<Options, Run>,
): CommandDefinition {
  // The same definitions parse the command line, so the values have the inferred types.
  return command as object as CommandDefinition;
}

export function defineRunner<const Options extends readonly OptionDefinition[], Run extends RunOperation<OptionsOf<Options>>>(
  runner: Loaded<OperationRunner, Options, Run> & ReadsOnly<Options, Run>,
): OperationRunner {
  return runner as object as OperationRunner;
}
