import type { Command } from 'commander';
import { SWITCH_VARIABLES } from '../../kernel/variables.ts';
import { Activity } from '../activity.ts';
import type { GlobalOptions, ProcessEnvironment } from '../context.ts';
import { type OpenedContext, openContext } from '../run/open-context.ts';

/** Opens the context of a command line. When the context is closed, the command's writes are added to the history. */
export function openCommandContext(
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
      await close();
    },
  };
}
