import { SvcError } from '../kernel/errors.ts';
import { parseSince } from '../kernel/timestamp.ts';
import type { OptionDefinition, OptionsOf, ParsedOptions } from './options.ts';

export function selectOptions<const Options extends readonly OptionDefinition[]>(
  definitions: Options,
  options: object,
): OptionsOf<Options> {
  const keys = new Set(definitions.map(({ flags }) => toOptionKey(/--(?:no-)?([\w-]+)/.exec(flags)?.[1] ?? '')));
  return Object.fromEntries(Object.entries(options).filter(([key]) => keys.has(key))) as OptionsOf<Options>;
}

export function getFlagValue(options: object, flagName: string): string | boolean | readonly string[] | undefined {
  return (options as ParsedOptions)[toOptionKey(flagName)];
}

function toOptionKey(flagName: string): string {
  return flagName.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns an object with the property, or an empty object for undefined. Needed for exact optional properties. */
export function optionalProperty<Name extends string, Value>(name: Name, value: Value | undefined) {
  return (value === undefined ? {} : { [name]: value }) as { readonly [Key in Name]?: Value };
}

/** @throws SvcError `usage` if the value is not a whole number or is less than `least` */
export function parseWholeNumber(flag: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && Number.isSafeInteger(value))) {
    throw new SvcError('usage', `${flag} must be a whole number of at least ${least}, got '${text}'`);
  }
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
