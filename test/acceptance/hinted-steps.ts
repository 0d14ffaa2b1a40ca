import { expect } from 'vitest';
import { withLocalList } from '../../src/commands/line/local-list.ts';
import { createProgram } from '../../src/commands/line/program.ts';
import { commandLineOf, type NextStep, SvcError } from '../../src/kernel/errors.ts';

/** Ends the parsing of a command line that is valid. */
class Parsed extends Error {}

/** Expects that each command in the hint of an error is a valid command line. */
export async function checkHintedSteps(thrown: unknown): Promise<void> {
  if (!(thrown instanceof SvcError)) return;
  for (const step of thrown.next) {
    // The user completes the command.
    if (step.placeholder !== undefined) continue;
    expect.soft(await findProblem(step), commandLineOf(step)).toBeUndefined();
  }
}

async function findProblem({ flags = [], command }: NextStep): Promise<string | undefined> {
  const words = withLocalList([...flags, ...command]);
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
