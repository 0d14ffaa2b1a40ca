import { SvcError } from '../kernel/errors.ts';
import type { Invocation } from './definition.ts';

type Values = Invocation['options'];

/** The text given for a flag, or `undefined`. */
export function textValue(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

/** The texts given for a flag that may come several times; none where it was not given. */
export function textValues(values: Values, name: string): readonly string[] {
  const value = values[name];
  return typeof value === 'object' ? value : [];
}

/** A property that is there only when it has a value, for objects with exact optional properties. */
export function given<Name extends string, Value>(name: Name, value: Value | undefined) {
  return (value === undefined ? {} : { [name]: value }) as { readonly [Key in Name]?: Value };
}

/** The number that a flag was given, if it was. @throws SvcError `usage` for what is none, or too small */
export function wholeNumber(flag: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && Number.isSafeInteger(value))) {
    throw new SvcError('usage', `${flag}: '${text}' is not a whole number of at least ${least}`);
  }
  return value;
}
