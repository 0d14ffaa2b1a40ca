import { expect } from 'vitest';
import { manifest } from '../../src/catalog/manifest.ts';
import { withLocalList } from '../../src/commands/line/local-list.ts';
import { createProgram } from '../../src/commands/line/program.ts';
import { findChild } from '../../src/commands/tree/aliases.ts';
import { commandTree } from '../../src/commands/tree/tree.ts';
import { SvcError } from '../../src/kernel/errors.ts';
import { once } from '../../src/kernel/once.ts';
import { collectCommands, isPlaceholder, splitLine } from './follow-hints.ts';
import type { Run } from './svc.ts';

/** Ends the parsing of a command line that is valid. */
class Parsed extends Error {}

/** Commands whose output contains examples, descriptions, or command lines of the user. */
const NOT_CHECKED = /^$|(?:^| )(?:help|history|commands|--help|-h)(?: |$)/;

/** A line that marks the section of svc in a start-up file. */
const MARKER = /^svc completion (?:>>>|<<<)$/;

const problems = new Map<string, string | undefined>();

/**
 * Expects that each command that a run printed, such as in an error, a note, or after `next`, is a
 * valid command line with all values that it requires.
 */
export async function checkPrintedCommands(words: readonly string[], run: Run): Promise<void> {
  if (NOT_CHECKED.test(words.join(' '))) return;
  for (const line of collectCommands(run)) {
    const printed = splitLine(line).slice(1);
    // The user completes the command.
    if (MARKER.test(line) || printed.some(isPlaceholder) || !startsWithCommand(printed)) continue;
    if (!problems.has(line))
      problems.set(line, (await findProblem(printed)) ?? findMissing(printed));
    expect.soft(problems.get(line), `${line}, printed by svc ${words.join(' ')}`).toBeUndefined();
  }
}

const readTree = once(() => commandTree());

/** Whether the words are not a part of a sentence: `svc never stores it`. */
function startsWithCommand([first = '']: readonly string[]): boolean {
  return first.startsWith('-') || findChild(readTree(), first) !== undefined;
}

/** Returns the required flags that the command line of an operation lacks. */
function findMissing(words: readonly string[]): string | undefined {
  const plain = ` ${words.filter((word) => !word.startsWith('-')).join(' ')} `;
  const entry = manifest.findLast(({ command }) => plain.includes(` ${command.join(' ')} `));
  const isGiven = (name: string) =>
    words.some((word) =>
      new RegExp(`^(?:--${name}(?:$|[=-])|--help|--file|--data|-f$)`).test(word),
    );
  const missing = entry?.flags.filter(
    ({ name, path, required }) =>
      required && path.at(-1) !== entry.argument?.field && !isGiven(name),
  );
  return missing?.length ? `lacks ${missing.map(({ name }) => `--${name}`).join()}` : undefined;
}

async function findProblem(printed: readonly string[]): Promise<string | undefined> {
  const words = withLocalList(printed);
  const program = await createProgram({
    words,
    print: () => undefined,
    showHelp: () => undefined,
    openContext: () => {
      throw new Parsed();
    },
  });
  try {
    await program.parseAsync(words, { from: 'user' });
    return undefined;
  } catch (error) {
    const isValid = error instanceof Parsed || !(error instanceof SvcError);
    return isValid ? undefined : error.message;
  }
}
