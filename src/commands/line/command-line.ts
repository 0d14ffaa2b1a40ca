import type { Command } from 'commander';
import { SvcError } from '../../kernel/errors.ts';
import type { ProcessEnvironment } from '../context.ts';
import { globalOptions } from '../global-flags.ts';
import { printHelp } from '../help/print-help.ts';
import { type ServiceFlags, withServiceFlags } from '../hinted-command.ts';
import type { OpenContext } from '../run/open-context.ts';
import { openCommandContext } from './command-context.ts';
import { createProgram } from './program.ts';

/** Runs one command line, the program's name left out. Without words, and for a group without a command, it shows help. */
export async function runCommandLine(words: readonly string[], processEnvironment: ProcessEnvironment): Promise<void> {
  let printed = '';
  let opened: OpenContext | undefined;
  let failure: unknown;
  const program = await createProgram({
    print: (text) => {
      printed += text;
    },
    enter: (options, command) => {
      opened = openCommandContext(processEnvironment, options, command);
      return opened.context;
    },
  });
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!isShown(error)) {
      failure =
        error instanceof SvcError ? withServiceFlags(error, opened?.context.options ?? flagsRead(program)) : error;
      throw failure;
    }
  } finally {
    await opened?.close(failure);
  }
  if (printed) await printHelp(printed, processEnvironment);
}

/** The global flags of a command line that is wrong, as far as it was read; none where they are what is wrong. */
function flagsRead(program: Command): ServiceFlags {
  try {
    return globalOptions(program.opts());
  } catch {
    return { local: false };
  }
}

/** What commander throws once it has shown help, asked for or because a command was missing, or the version. */
const SHOWN_CODES: readonly unknown[] = ['commander.helpDisplayed', 'commander.help', 'commander.version'];

function isShown(error: unknown): boolean {
  return error instanceof Error && 'code' in error && SHOWN_CODES.includes(error.code);
}
