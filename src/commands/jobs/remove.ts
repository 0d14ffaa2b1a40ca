import { findJob, removeJob } from '../../bulk/journal/folder.ts';
import { IdFailures } from '../call/each-id.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';

/**
 * @throws SvcError `usage` when one of the jobs does not exist: then none is removed; `locked` for one that runs, and
 * `some_failed` when several were named, after the others were removed
 */
export async function removeJobs(context: Context, { arguments: jobs }: Invocation): Promise<void> {
  const ids = [...new Set(jobs)];
  const folders = [];
  for (const job of ids) folders.push(await findJob(context.folders, job));
  const failures = new IdFailures(context, { noun: 'job', ids, aboutOne: ['locked', 'local'] });
  for (const folder of folders) {
    try {
      await removeJob(folder, context.clock);
      await context.note(`removed ${folder.job}`);
    } catch (error) {
      await failures.take(folder.job, error);
    }
  }
  failures.end();
}
