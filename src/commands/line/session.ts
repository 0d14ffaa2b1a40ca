import type { Command } from 'commander';
import { SWITCHES } from '../../kernel/variables.ts';
import { Activity } from '../activity.ts';
import type { GlobalOptions, Surroundings } from '../context.ts';
import { openWorld, type Session } from '../run/open-context.ts';

/** The world of one command. What it asks the service to write becomes a line in the history. */
export function openSession(surroundings: Surroundings, options: GlobalOptions, command: Command): Session {
  const { clock, environment } = surroundings;
  const started = clock.now();
  const activity = new Activity();
  const { context, close } = openWorld(surroundings, options, activity);
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
