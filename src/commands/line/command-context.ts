import type { Command } from 'commander';
import { SWITCHES } from '../../kernel/variables.ts';
import { Activity } from '../activity.ts';
import type { GlobalOptions, ProcessEnvironment } from '../context.ts';
import { type OpenContext, openContext } from '../run/open-context.ts';

/** Opens the context of a command line. Closing it adds the writes that the command asked for to the history. */
export function openCommandContext(
  processEnvironment: ProcessEnvironment,
  options: GlobalOptions,
  command: Command,
): OpenContext {
  const { clock, environment } = processEnvironment;
  const started = clock.now();
  const activity = new Activity();
  const { context, close } = openContext(processEnvironment, options, activity);
  return {
    context,
    close: async (error) => {
      if (activity.calls > 0 && environment[SWITCHES.history] !== '0') {
        const { recordRun } = await import('../history/record.ts');
        await recordRun(context, activity, { command, started, error });
      }
      await close();
    },
  };
}
