import { SvcError } from '../../kernel/errors.ts';
import { hint, step } from '../../kernel/hint.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import type { Context } from '../context.ts';
import { canAsk } from '../terminal/terminal.ts';
import { readEntries } from './list-entries.ts';

/**
 * Returns the ID of the only stopped job. If several are stopped, prompts for one.
 * @throws SvcError `usage` if no job is stopped, or if several are and prompts are not possible
 */
export async function findStoppedJob(context: Context): Promise<string> {
  const stopped = (await readEntries(context)).filter(({ state }) => state === 'stopped');
  const [only, ...others] = stopped;
  if (only && others.length === 0) {
    await context.note(`resuming job ${only.id} (${only.operation}, ${only.input})`);
    return only.id;
  }
  if (only && canAsk(context)) {
    const choices = stopped.map(({ id, operation, input, startedAt }) => ({
      value: id,
      description: `${operation}, ${input}, started ${startedAt}`,
    }));
    return (await context.prompter()).pick({ message: 'Job to resume', choices, allowsOther: false });
  }
  const problem = only ? `specify a job: ${formatNounCount(stopped.length, 'job')} are stopped` : 'no job is stopped';
  throw new SvcError('usage', problem, { hint: hint`list all jobs with ${step('inspect', 'jobs', 'list')}` });
}
