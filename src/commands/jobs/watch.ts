import { createDamagedError } from '../../bulk/journal/database.ts';
import {
  findJob,
  isBeingChecked,
  type JobFolder,
  openJournal,
  readJobState,
} from '../../bulk/journal/job-folder.ts';
import type { Journal, OutcomeCounts } from '../../bulk/journal/journal.ts';
import { pluralize } from '../../kernel/plural.ts';
import { closeAfter } from '../../kernel/resource.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { findJobRecords, showEndedJob } from './finished-job.ts';

/** Polling interval, in milliseconds. */
const READ_INTERVAL = 500;

/** @throws SvcError `not_found` for an unknown job, or the job's own error */
export async function watchJob(
  context: Context,
  { arguments: [id = ''] }: Invocation,
): Promise<void> {
  const folder = await findJob(context.folders, id, 'not_found');
  await waitForJournal(context, folder);
  // A job that ends without sending anything is deleted.
  await findJob(context.folders, id, 'not_found');
  await closeAfter(await openJournal(folder), async (journal) => {
    const description = journal.getFact('job');
    if (!description) throw createDamagedError(folder.journal);
    const records = await findJobRecords(description);
    await followJob(context, folder, journal, description.records, pluralize(records.noun));
    await findJob(context.folders, id, 'not_found');
    await showEndedJob(context, records, description, journal);
  });
}

async function waitForJournal(
  { clock, signal, progress }: Context,
  folder: JobFolder,
): Promise<void> {
  if (!(await isBeingChecked(folder))) return;
  const end = (await progress()).showActivity(`waiting for job ${folder.job} to check its input`);
  try {
    while (await isBeingChecked(folder)) await clock.sleep(READ_INTERVAL, signal);
  } finally {
    await end();
  }
}

async function followJob(
  context: Context,
  folder: JobFolder,
  journal: Journal,
  total: number,
  unit: string,
): Promise<void> {
  const { clock, signal, progress } = context;
  let state = await readJobState(folder, journal);
  if (state !== 'running') return;
  let counts: OutcomeCounts = journal.counts();
  const end = (await progress()).track(() => {
    const { succeeded, failed, unknown, existing } = counts;
    const done = succeeded + failed + unknown + existing;
    return { phase: 'sending', unit, done, total, failed, unknown };
  });
  try {
    for (; state === 'running'; state = await readJobState(folder, journal)) {
      await clock.sleep(READ_INTERVAL, signal);
      counts = journal.counts();
    }
  } finally {
    await end();
  }
}
