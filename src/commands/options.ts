/**
 * Group of global flags that only some commands accept. `service` selects and connects to the service, `profile`
 * selects only a profile, `local` applies only to the embedded service, and `request` applies to requests to other
 * servers.
 */
export type GlobalFlagGroup = 'service' | 'connection' | 'request' | 'profile' | 'local' | 'result' | 'envelope' | 'dry-run';

/** A flag of a hand-written command. The parsed value is stored under the camel-cased name. */
export interface OptionDefinition {
  readonly flags: string;
  readonly description: string;
  readonly choices?: readonly string[];
  /** The flag is repeatable; its value is an array. */
  readonly many?: true;
  /** The flag tunes a bulk job. Help lists tuning flags last. */
  readonly isTuning?: true;
  readonly isHidden?: true;
}

type LongName<Flags extends string> = Flags extends `${string}--${infer Rest}`
  ? Rest extends `${infer Name} ${string}`
    ? Name
    : Rest
  : never;

type CamelCase<Words extends string> = Words extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Words;

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
