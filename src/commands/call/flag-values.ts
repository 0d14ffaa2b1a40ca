import type { Flag } from '../../catalog/flags.ts';
import { SvcError } from '../../kernel/errors.ts';
import { formatTextPosition } from '../../kernel/json-position.ts';
import { parseLosslessJson } from '../../kernel/json-problem.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { parseTimestamp } from '../../kernel/timestamp.ts';

export interface FlagDependencies {
  readonly now: number;
  readonly warn: (text: string) => void;
}

/** Parses the value of a flag. @throws SvcError `usage` with the name of the flag */
export function parseFlagValue(
  flag: Flag,
  given: string | boolean | readonly string[],
  dependencies: FlagDependencies,
): unknown {
  if (typeof given === 'boolean') return given;
  const texts = typeof given === 'string' ? [given] : given;
  const [text = ''] = texts;
  const parseMap = (read: (value: string) => unknown) =>
    Object.fromEntries(
      texts.map((each) => splitPair(each, flag.name)).map(([key, value]) => [key, read(value)]),
    );
  const parsers: Readonly<Record<Flag['kind'], () => unknown>> = {
    list: () => texts,
    map: () => parseMap(String),
    switches: () => parseMap((value) => parseSwitch(flag, value)),
    changes: () => parseMap((value) => parseChange(flag, value)),
    entries: () => texts.map((entry) => parseEntry(flag, entry, dependencies)),
    entry: () => parseEntry(flag, text, dependencies),
    number: () => parseNumber(flag, text),
    boolean: () => parseSwitch(flag, text),
    switch: () => parseSwitch(flag, text),
    json: () => parseJson(`--${flag.name}`, text),
    time: () => parseTime(flag, text, dependencies),
    text: () => text,
    content: () => text,
    secret: () => text,
  };
  return parsers[flag.kind]();
}

function parseSwitch({ name }: Flag, text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new SvcError('usage', `--${name} must be true or false, got '${text}'`);
}

function parseChange({ name }: Flag, text: string): { from: string; to: string } {
  const at = text.indexOf(':');
  if (at < 0)
    throw new SvcError('usage', `--${name} must be field=from:to, got '${text}'`, {
      hint: 'example: status=open:done',
    });
  return { from: text.slice(0, at), to: text.slice(at + 1) };
}

/** Parses an object from key=value pairs, from JSON, or from the value of its first field. */
function parseEntry(flag: Flag, text: string, dependencies: FlagDependencies): unknown {
  const { keys = [], name } = flag;
  if (text.startsWith('{')) return parseJson(`--${name}`, text);
  const [first] = keys;
  if (first && !text.includes('=')) return { [first.path[0] ?? '']: text };
  return Object.fromEntries(
    parsePairs(text, name).map(([key, value]) => {
      const known = keys.find((candidate) => candidate.name === key);
      if (!known) {
        const names = keys.map((candidate) => candidate.name);
        throw new SvcError('usage', `--${name}: unknown key '${key}'`, {
          hint: didYouMean(key, names),
        });
      }
      return [
        known.path[0] ?? '',
        parseFlagValue({ ...known, name: `${name} ${key}` }, value, dependencies),
      ];
    }),
  );
}

function parseNumber({ name }: Flag, text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(value))
    throw new SvcError('usage', `--${name} must be a number, got '${text}'`);
  return value;
}

function parseTime({ name }: Flag, text: string, { now, warn }: FlagDependencies): number {
  const timestamp = parseTimestamp(text, now);
  if (!timestamp) {
    throw new SvcError('usage', `--${name} must be a time, got '${text}'`, {
      hint: 'examples: 2026-03-01T12:00:00Z, 48h (from now), or seconds since 1970',
    });
  }
  if (timestamp.wasMilliseconds)
    warn(`--${name}: ${text} is in milliseconds; sent as ${timestamp.seconds} seconds`);
  return timestamp.seconds;
}

/**
 * Parses a JSON value that svc can send as written.
 * @param name name of the flag, or of the file that contains the text
 * @throws SvcError of the given kind, with the position of the problem
 */
export function parseJson(
  name: string,
  text: string,
  {
    failure = 'usage',
    hint,
  }: { readonly failure?: 'usage' | 'invalid_input'; readonly hint?: string } = {},
): unknown {
  const { value, problem: found } = parseLosslessJson(text);
  if (!found) return value;
  const { offset, problem } = found;
  const shownHint = found.hint ?? (value === undefined ? hint : undefined);
  throw new SvcError(failure, `${name}:${formatTextPosition(text, offset)}: ${problem}`, {
    ...(shownHint !== undefined && { hint: shownHint }),
  });
}

const PAIR = /([^=,"]+)=(?:"((?:[^"]|"")*)"|([^",]*))(?:,(?=.)|$)/gs;
export const PAIRS = new RegExp(`^(?:${PAIR.source})+$`, 's');

/**
 * Parses `a=1,b="x,y"` into pairs. A quoted value may contain commas, and `""` for a double quote.
 */
export function parsePairs(text: string, flag: string): readonly (readonly [string, string])[] {
  if (text !== '' && !PAIRS.test(text)) {
    throw new SvcError('usage', `--${flag} must be key=value,key=value, got '${text}'`, {
      hint: 'quote a value that contains a comma: id="a,b"',
    });
  }
  return Array.from(text.matchAll(PAIR), ([, key = '', quoted, plain = '']) => [
    key.trim(),
    quoted?.replaceAll('""', '"') ?? plain,
  ]);
}

export function splitPair(text: string, flag: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new SvcError('usage', `--${flag} must be key=value, got '${text}'`);
  return [text.slice(0, at), text.slice(at + 1)];
}
