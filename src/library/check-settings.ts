import { SvcError } from '../kernel/errors.ts';
import { findNearest } from '../kernel/nearest.ts';

/** Kinds of values of a setting, with the words that describe them in errors. */
const KINDS = {
  text: ['a string', (value: unknown) => typeof value === 'string'],
  location: ['a path or a URL', (value: unknown) => typeof value === 'string' && value !== ''],
  milliseconds: [
    'a number of milliseconds',
    (value: unknown) => typeof value === 'number' && value >= 0,
  ],
  switch: ['true or false', (value: unknown) => typeof value === 'boolean'],
  function: ['a function', (value: unknown) => typeof value === 'function'],
  signal: ['an AbortSignal', (value: unknown) => value instanceof AbortSignal],
  list: ['an array', Array.isArray],
  object: ['an object', (value: unknown) => typeof value === 'object' && value !== null],
} as const satisfies Record<string, readonly [string, (value: unknown) => boolean]>;

export type SettingKinds<Settings> = Readonly<Record<keyof Settings, keyof typeof KINDS>>;

/**
 * Checks the settings of a program. Errors do not contain texts, which may be secrets.
 * @throws SvcError `usage` for a misspelled setting, and for a value of the wrong kind
 */
export function checkSettings<Settings extends object>(
  settings: Settings,
  kinds: SettingKinds<Settings>,
): void {
  const known = Object.keys(kinds);
  for (const [name, value] of Object.entries(settings)) {
    if (!Object.hasOwn(kinds, name)) {
      const meant = findNearest(name, known);
      if (meant === undefined) continue;
      throw new SvcError('usage', `unknown setting '${name}'; did you mean '${meant}'?`);
    }
    const [expected, isValid] = KINDS[kinds[name as keyof Settings]];
    if (value === undefined || isValid(value)) continue;
    throw new SvcError('usage', `${name} must be ${expected}, got ${describeKind(value)}`);
  }
}

function describeKind(value: unknown): string {
  if (value === null) return 'null';
  if (value === '') return 'an empty string';
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return 'an array';
  return `${/^[aeiou]/.test(typeof value) ? 'an' : 'a'} ${typeof value}`;
}
