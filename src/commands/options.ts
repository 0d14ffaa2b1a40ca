import { SvcError } from '../kernel/errors.ts';
import { parseSince } from '../kernel/timestamp.ts';

/**
 * Group of global flags that only some commands accept. `service` selects and connects to the
 * service, `profile` selects only a profile, `local` applies only to the embedded service, and
 * `request` applies to requests to other servers.
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

/** Two words at least: a flag without a description does not compile. */
export type FlagDescription = `${string} ${string}`;

/** The records of a bulk command, or the default organization of the settings. */
export type FlagSource = 'records' | 'settings';

/**
 * How a command writes a file. Outputs replace only files of the same use; `edited` means that the
 * command changes what is in the file, `rejects` are never overwritten, and a `folder` is new.
 */
export type OutputUse =
  | 'plan'
  | 'results'
  | 'rejects'
  | 'report'
  | 'schema'
  | 'export'
  | 'har'
  | 'approval'
  | 'token'
  | 'folder'
  | 'edited';

/**
 * The use of a file that a flag or an argument names: it is read, or written. The value of a `data`
 * flag names a file only after an @.
 */
export type FileUse = 'input' | 'data' | OutputUse;

/** A flag of a hand-written command. The parsed value is stored under the camel-cased name. */
export interface OptionDefinition {
  readonly flags: string;
  readonly description: FlagDescription;
  readonly choices?: readonly string[];
  /** The command fails without the flag, unless the value is supplied otherwise. */
  readonly required?: boolean;
  /** Sources that may supply the value of a required flag instead. */
  readonly suppliedBy?: readonly FlagSource[];
  /** The flag is repeatable; its value is an array. */
  readonly many?: true;
  /** Long name of the flag that this one turns off, without dashes. */
  readonly negates?: string;
  /** Section of the flag in the help of a bulk command. */
  readonly section?: 'record' | 'file';
  /** The flag tunes a bulk job. Help lists tuning flags last. */
  readonly isTuning?: true;
  readonly isHidden?: true;
  /** The value is the path of a file. */
  readonly file?: FileUse;
  /** An empty path or ID has a meaning (default: it is rejected). */
  readonly mayBeEmpty?: true;
}

/** Flag of the commands that write a file, checked in one place for all of them. */
export const FORCE_FLAG = {
  flags: '--force',
  description: 'replace an existing output file that svc did not write',
} as const satisfies OptionDefinition;

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

type OptionText<Definition> = Definition extends { readonly choices: readonly (infer Choice)[] }
  ? Choice
  : string;

/**
 * Parsed value of an option. `--record <dir>` and `--no-record` share a key with the type
 * `string | false`.
 */
type OptionValue<Definition> = Definition extends { readonly flags: infer Flags extends string }
  ? Flags extends `${string}<${string}`
    ? Definition extends { readonly many: true }
      ? readonly OptionText<Definition>[]
      : OptionText<Definition>
    : LongName<Flags> extends `no-${string}`
      ? false
      : boolean
  : never;

/**
 * Parsed values of options, inferred from their definitions. The definitions must be constant
 * (`as const`).
 */
export type OptionsOf<Definitions extends readonly OptionDefinition[]> = {
  readonly [Definition in Definitions[number] as OptionKey<Definition['flags']>]?:
    | OptionValue<Definition>
    | undefined;
};

declare const UNTYPED: unique symbol;

/**
 * Parsed values of options whose definitions are only known at run time. The symbol makes the type
 * incompatible with specific options, so that only `defineCommand` can convert between the two.
 */
export interface ParsedOptions {
  readonly [name: string]: string | boolean | readonly string[] | undefined;
  readonly [UNTYPED]?: never;
}

export function selectOptions<const Options extends readonly OptionDefinition[]>(
  definitions: Options,
  options: object,
): OptionsOf<Options> {
  const keys = new Set(
    definitions.map(({ flags }) => toOptionKey(/--(?:no-)?([\w-]+)/.exec(flags)?.[1] ?? '')),
  );
  return Object.fromEntries(
    Object.entries(options).filter(([key]) => keys.has(key)),
  ) as OptionsOf<Options>;
}

export function getFlagValue(
  options: object,
  flagName: string,
): string | boolean | readonly string[] | undefined {
  return (options as ParsedOptions)[toOptionKey(flagName)];
}

function toOptionKey(flagName: string): string {
  return flagName.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Returns an object with the property, or an empty object for undefined. Needed for exact optional
 * properties.
 */
export function optionalProperty<Name extends string, Value>(name: Name, value: Value | undefined) {
  return (value === undefined ? {} : { [name]: value }) as { readonly [Key in Name]?: Value };
}

/** @throws SvcError `usage` if the value is not a whole number or is less than `least` */
export function parseWholeNumber(
  flag: string,
  text: string | undefined,
  least: number,
): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && Number.isSafeInteger(value)))
    throw new SvcError(
      'usage',
      `${flag} must be a whole number of at least ${least}, got '${text}'`,
    );
  return value;
}

export function parsePort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new SvcError('usage', `--port must be a number from 0 to 65535, got '${text}'`);
}

export function parseSinceFlag(text: string | undefined, now: number): number | undefined {
  const since = text === undefined ? undefined : parseSince(text, now);
  if (text === undefined || since !== undefined) return since;
  throw new SvcError('usage', `--since must be a duration or a time, got '${text}'`, {
    hint: 'use a value like 2h, 7d, or 2026-03-01T12:00:00Z',
  });
}

export function longName({ flags }: Pick<OptionDefinition, 'flags'>): string {
  return /--([\w-]+)/.exec(flags)?.[1] ?? '';
}
