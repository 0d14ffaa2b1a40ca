import type { Command } from 'commander';
import { SvcError } from '../../kernel/errors.ts';
import { SWITCH_VARIABLES } from '../../kernel/variables.ts';
import { Activity } from '../activity.ts';
import type { GlobalOptions, ProcessEnvironment } from '../context.ts';
import { parseGlobalOptions } from '../global-flags.ts';
import { printHelp } from '../help/print-help.ts';
import { type OpenedContext, openContext } from '../run/open-context.ts';
import { type ServiceFlags, withServiceFlags } from '../service-flags.ts';
import { createProgram } from './program.ts';

export async function runCommandLine(
  words: readonly string[],
  givenEnvironment: ProcessEnvironment,
): Promise<void> {
  const processEnvironment: ProcessEnvironment = {
    ...givenEnvironment,
    runLine: (nested, environment) => runCommandLine(nested, { ...givenEnvironment, environment }),
  };
  let printed = '';
  let opened: OpenedContext | undefined;
  let failure: unknown;
  const program = await createProgram({
    print: (text) => {
      printed += text;
    },
    openContext: (options, command, isLocalOnly) => {
      opened = openCommandContext(processEnvironment, options, command, isLocalOnly);
      return opened.context;
    },
  });
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && HELP_CODES.includes(error.code))) {
      failure =
        error instanceof SvcError
          ? withServiceFlags(error, opened?.context.options ?? parsedServiceFlags(program))
          : error;
      throw failure;
    }
  } finally {
    await opened?.close(failure);
  }
  // The other flags may be invalid.
  const { color = 'auto' } = program.opts<{ readonly color?: GlobalOptions['color'] }>();
  if (printed) await printHelp(printed, processEnvironment, color);
}

/** Opens the context of a command. Closing the context adds the command's writes to the history. */
function openCommandContext(
  processEnvironment: ProcessEnvironment,
  options: GlobalOptions,
  command: Command,
  isLocalOnly: boolean,
): OpenedContext {
  const { clock, environment } = processEnvironment;
  const started = clock.now();
  const activity = new Activity();
  const { context, close } = openContext(processEnvironment, options, activity, { isLocalOnly });
  return {
    context,
    close: async (error) => {
      if (activity.calls > 0 && environment[SWITCH_VARIABLES.history] !== '0') {
        const { recordRun } = await import('../history/record.ts');
        await recordRun(context, activity, { command, started, error });
      }
      await close(error);
    },
  };
}

function parsedServiceFlags(program: Command): ServiceFlags {
  try {
    return parseGlobalOptions(program.opts());
  } catch {
    return { local: false };
  }
}

const HELP_CODES: readonly unknown[] = [
  'commander.helpDisplayed',
  'commander.help',
  'commander.version',
];
