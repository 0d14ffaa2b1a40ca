import type { Surroundings } from './context.ts';
import { createProgram } from './program.ts';
import { openSession } from './world.ts';

/** Runs one command line, the program's name left out. Without words, and for a group without a command, it shows help. */
export async function runCommandLine(words: readonly string[], surroundings: Surroundings): Promise<void> {
  let printed = '';
  let close = async (): Promise<void> => undefined;
  const program = await createProgram({
    print: (text) => {
      printed += text;
    },
    enter: (options) => {
      const session = openSession(surroundings, options);
      close = session.close;
      return session.context;
    },
  });
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!isHelp(error)) throw error;
  } finally {
    await close();
  }
  if (printed) await surroundings.io.stdout.write(printed);
}

/** What commander throws once it has shown help: asked for, or because a command was missing. */
const HELP_CODES: readonly unknown[] = ['commander.helpDisplayed', 'commander.help'];

function isHelp(error: unknown): boolean {
  return error instanceof Error && 'code' in error && HELP_CODES.includes(error.code);
}
