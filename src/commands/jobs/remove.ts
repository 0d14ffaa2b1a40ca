import { findJob, removeJob } from '../../bulk/journal/job-folder.ts';
import { collectIdFailures } from '../call/each-id.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';

/**
 * Removes jobs from this machine.
 * @throws SvcError `usage` if any job does not exist, in which case none are removed; `locked` for
 * a running job; `records_failed` if only some jobs could be removed
 */
export async function removeJobs(context: Context, { arguments: jobs }: Invocation): Promise<void> {
  const ids = [...new Set(jobs)];
  const folders = [];
  for (const job of ids) folders.push(await findJob(context.folders, job));
  const failures = collectIdFailures(context, 'job', ids, ['locked', 'local']);
  for (const folder of folders) {
    try {
      await removeJob(folder, context.clock);
      await context.note(`Removed job ${folder.job}`);
    } catch (error) {
      await failures.add(folder.job, error);
    }
  }
  failures.throwIfAny();
}
