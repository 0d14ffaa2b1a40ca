import { expect } from 'vitest';
import { isObject, tryParseJson } from '../../src/kernel/json.ts';
import type { Run, User } from './svc.ts';

/** First words that continue a sentence after a command. */
const SENTENCE =
  /^(?:lists|shows|creates|deletes|disables|sends|removes|records|prints|saves|retries|logs|on|before|and|or|to|for|with|[|>])$/;

/** Commands that run until they are stopped. */
const NEVER_ENDS = /(?:^| )(?:serve|mcp|webhooks listen|jobs watch)$/;

/** Refusals after the flags and files were read: a person has to answer. */
const NEEDS_PERSON = /requires a terminal|a person must approve/;

/** Refusals of a suggested command: the user has to complete its flags. */
const INCOMPLETE = / is required$|^svc: no \w+ specified$/m;

const PROTECTED = /is protected|accepts only approved plans|is read-only|may only be read/;

/** The printed command lines, by what happened to them. */
export interface Followed {
  readonly ran: string[];
  /** Command lines that did not run: servers, and placeholders without a value. */
  readonly skipped: string[];
  /** Suggested commands that need more flags. */
  readonly incomplete: string[];
}

export interface FollowOptions {
  /** Exit code of the first command. */
  readonly code?: number;
  /** Values of the state for placeholders, such as `<id>`. */
  readonly values?: Readonly<Record<string, string>>;
  /** Output that names another service. */
  readonly elsewhere?: RegExp;
}

/**
 * Runs a command, and then each command that it printed, in the same state: in a dry run if it
 * supports one. Expects that none is invalid, refused by a protection, or sent elsewhere.
 * @returns the printed command lines
 */
export async function followHints(
  { svc }: Pick<User, 'svc'>,
  words: readonly string[],
  followed: Followed,
  { code, values = {}, elsewhere = /127\.0\.0\.1:9\b/ }: FollowOptions = {},
): Promise<readonly string[]> {
  const run = await svc(words);
  const shown = `svc ${words.join(' ')}\n${run.stdout}${run.stderr}`;
  if (code !== undefined) expect(run.code, shown).toBe(code);
  const lines = collectCommands(run);
  for (const line of lines) {
    const printed = splitLine(line)
      .slice(1)
      .map((word) => values[word] ?? word);
    if (printed.some(isPlaceholder) || NEVER_ENDS.test(printed.join(' '))) {
      followed.skipped.push(line);
      continue;
    }
    const failure = await follow({ svc }, printed, elsewhere);
    if (failure === 'incomplete') followed.incomplete.push(line);
    else expect.soft(failure, `${line}\nprinted by ${shown}`).toBeUndefined();
    followed.ran.push(line);
  }
  return lines;
}

/** @returns what is wrong with a printed command */
async function follow(
  { svc }: Pick<User, 'svc'>,
  words: readonly string[],
  elsewhere: RegExp,
): Promise<string | undefined> {
  const repeated = words.find(
    (word, at) => /^--?[a-z]/.test(word) && words.indexOf(word) < at && !REPEATABLE.test(word),
  );
  if (repeated !== undefined) return `repeats ${repeated}`;
  const dry = await svc([...words, '--dry-run', '--no-input']);
  const hasDryRun = !(dry.code === 2 && dry.stderr.includes('--dry-run'));
  const answers = words.includes('apply') ? ['--yes'] : ['--no-input'];
  const run = hasDryRun ? dry : await svc([...words, ...answers]);
  const output = `${run.stdout}${run.stderr}`;
  if (NEEDS_PERSON.test(run.stderr)) return undefined;
  if (run.code === 2 && INCOMPLETE.test(run.stderr)) return 'incomplete';
  const isWrong = run.code === 2 || run.code === 8 || PROTECTED.test(run.stderr);
  return isWrong || elsewhere.test(output) ? `exits with ${run.code}: ${output}` : undefined;
}

/** Flags that may be given several times. */
const REPEATABLE = /^--(?:only|org|map|user|filter-type|trigger)$/;

export function isPlaceholder(word: string): boolean {
  return /^<.*>$|…/.test(word);
}

/** Returns the command lines in the output of a run: in hints, notes, and `next`. */
export function collectCommands({ stdout, stderr }: Run): readonly string[] {
  const texts = [stdout, ...stderr.split('\n')].flatMap((text) => {
    const parsed = tryParseJson(text);
    return parsed === undefined ? linesOf(text) : linesOfData(parsed);
  });
  return [...new Set(texts)];
}

function linesOfData(data: unknown): readonly string[] {
  if (!isObject(data)) return Array.isArray(data) ? data.flatMap(linesOfData) : [];
  const { error, note, next, fix } = data as Record<string, unknown>;
  if (isObject(error)) {
    const steps = (error['next'] ?? []) as readonly { readonly command: readonly string[] }[];
    if (steps.length === 0) return linesOf(String(error['hint'] ?? ''));
    return steps.map(({ command }) => command.map(quoteWord).join(' '));
  }
  if (isObject(note)) return linesOf(String(note['message']));
  return [
    ...Object.values(isObject(next) ? next : {}).map(String),
    ...(typeof fix === 'string' ? linesOf(fix) : []),
  ];
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => (line.startsWith('svc: ') ? [] : commandsIn(line)));
}

function commandsIn(line: string): readonly string[] {
  return [...line.matchAll(/(?<![\w./-])svc (?=[a-z-])/g)].map(({ index }) => {
    const isQuoted = line[index - 1] === "'";
    const text = line.slice(index);
    const words: string[] = [];
    for (const word of splitWords(isQuoted ? text.replace(/'(?=\?|$| or ).*/s, '') : text)) {
      if (SENTENCE.test(word) || word.startsWith('(')) break;
      words.push(word.replace(/[;,`)]+$/, ''));
      if (/[;,`)]$/.test(word)) break;
    }
    return words.join(' ');
  });
}

function splitWords(line: string): readonly string[] {
  return line.match(/(?:'[^']*'|\\.|[^\s'\\])+/g) ?? [];
}

/** Splits a command line that svc printed for a shell. */
export function splitLine(line: string): readonly string[] {
  return splitWords(line).map((word) => word.replace(/'([^']*)'|\\(.)/g, '$1$2'));
}

function quoteWord(word: string): string {
  return /[\s\\']/.test(word) ? `'${word.replaceAll("'", `'\\''`)}'` : word;
}
