import type { Flag } from '../../catalog/flags.ts';
import { SvcError } from '../../kernel/errors.ts';
import { jsonProblem } from '../../kernel/json-problem.ts';
import { jsonValue } from '../../kernel/json-value.ts';
import { parseMoment } from '../../kernel/moment.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { parsePairs, splitPair } from './key-value.ts';

/** What the texts of flags are read with. */
export interface FlagDependencies {
  readonly now: number;
  readonly warn: (text: string) => void;
}

/** The value that the text of a flag stands for. @throws SvcError `usage` that names the flag. */
export function flagValue(
  flag: Flag,
  given: string | boolean | readonly string[],
  dependencies: FlagDependencies,
): unknown {
  if (typeof given === 'boolean') return given;
  const texts = typeof given === 'string' ? [given] : given;
  const [text = ''] = texts;
  switch (flag.kind) {
    case 'list':
      return texts;
    case 'map':
      return mapOf(flag, texts, (value) => value);
    case 'switches':
      return mapOf(flag, texts, (value) => switchOf(flag, value));
    case 'changes':
      return mapOf(flag, texts, (value) => changeOf(flag, value));
    case 'entries':
      return texts.map((entry) => entryOf(flag, entry, dependencies));
    case 'entry':
      return entryOf(flag, text, dependencies);
    case 'number':
      return numberOf(flag, text);
    case 'boolean':
      return switchOf(flag, text);
    case 'json':
      return parseJson(flag, text);
    case 'time':
      return timeOf(flag, text, dependencies);
    case 'text':
    case 'content':
    case 'secret':
      return text;
  }
}

function mapOf(flag: Flag, texts: readonly string[], read: (value: string) => unknown): Record<string, unknown> {
  return Object.fromEntries(
    texts.map((text) => {
      const [key, value] = splitPair(text, flag.name);
      return [key, read(value)];
    }),
  );
}

function switchOf({ name }: Flag, text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new SvcError('usage', `--${name}: '${text}' is neither true nor false`);
}

/** `open:done` is a change from `open` to `done`. */
function changeOf({ name }: Flag, text: string): { from: string; to: string } {
  const at = text.indexOf(':');
  if (at < 0)
    throw new SvcError('usage', `--${name}: '${text}' is not from:to`, { hint: 'write it like status=open:done' });
  return { from: text.slice(0, at), to: text.slice(at + 1) };
}

/** An object from key=value pairs, from JSON, or from its first field alone. */
function entryOf(flag: Flag, text: string, dependencies: FlagDependencies): unknown {
  const { keys = [], name } = flag;
  if (text.startsWith('{')) return parseJson(flag, text);
  const [first] = keys;
  if (first && !text.includes('=')) return { [first.path[0] ?? '']: text };
  return Object.fromEntries(
    parsePairs(text, name).map(([key, value]) => {
      const known = keys.find((candidate) => candidate.name === key);
      if (!known) {
        const names = keys.map((candidate) => candidate.name);
        throw new SvcError('usage', `--${name}: there is no key '${key}'`, { hint: didYouMean(key, names) });
      }
      return [known.path[0] ?? '', flagValue({ ...known, name: `${name} ${key}` }, value, dependencies)];
    }),
  );
}

function numberOf({ name }: Flag, text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(value)) throw new SvcError('usage', `--${name}: '${text}' is not a number`);
  return value;
}

function timeOf({ name }: Flag, text: string, { now, warn }: FlagDependencies): number {
  const moment = parseMoment(text, now);
  if (!moment) {
    throw new SvcError('usage', `--${name}: '${text}' is not a time`, {
      hint: 'write it like 2026-03-01T12:00:00Z, 48h (from now) or an epoch in seconds',
    });
  }
  if (moment.wasMilliseconds)
    warn(`--${name}: ${text} is taken for milliseconds and sent as ${moment.seconds} seconds`);
  return moment.seconds;
}

export function parseJson({ name }: Flag, text: string): unknown {
  const value = jsonValue(text);
  if (value === undefined) throw new SvcError('usage', `--${name}: not valid JSON`);
  const wrong = jsonProblem(value, text);
  if (wrong) throw new SvcError('usage', `--${name}: ${wrong.problem}`, wrong.hint ? { hint: wrong.hint } : {});
  return value;
}
