import { findJob, removeJob } from '../../bulk/journal/folder.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';

/** @throws SvcError `usage` when one of the jobs does not exist: then none is removed; `locked` for one that runs. */
export async function removeJobs(context: Context, { arguments: jobs }: Invocation): Promise<void> {
  const folders = [];
  for (const job of new Set(jobs)) folders.push(await findJob(context.folders, job));
  for (const folder of folders) {
    await removeJob(folder, context.clock);
    await context.note(`removed ${folder.job}`);
  }
}
