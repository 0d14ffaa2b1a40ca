import { damagedError } from '../../bulk/journal/database.ts';
import {
  findJob,
  type JobFolder,
  jobFolderOf,
  listJobNames,
  openJournal,
  readJobState,
} from '../../bulk/journal/job-folder.ts';
import { createReadOnlyClient } from '../../client/read-only.ts';
import { SvcError } from '../../kernel/errors.ts';
import { hint, step } from '../../kernel/hint.ts';
import { isLocked } from '../../kernel/lock.ts';
import { findMadeChanges } from '../../settings/execute/item-states.ts';
import { queryKeys } from '../../settings/live/declared-query.ts';
import { readLive } from '../../settings/live/read-live.ts';
import type { SavedPlan } from '../../settings/saved-plan.ts';
import { readBeforeImages } from '../../settings/undo/before-images.ts';
import { describePermanentChanges, describePermanentOperation } from '../../settings/undo/permanent-writes.ts';
import { planUndo } from '../../settings/undo/plan-undo.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { findPlanTarget } from '../plan/find-target.ts';
import { openJobContext } from '../plan/job-context.ts';
import { withContext } from '../plan/open-environment.ts';
import { printPlan } from '../plan/render-plan.ts';
import { savePlan } from '../plan/save-plan.ts';
import type { UndoFlags } from './flags.ts';

/**
 * Prints a plan that restores the values that a job replaced, and saves it with `--out`.
 * @throws SvcError `usage` if the job does not exist, or if no job can be undone; `locked` while the job is running
 */
export async function undoJob(context: Context, { arguments: [id], options }: Invocation<UndoFlags>): Promise<void> {
  const folder = id === undefined ? await findLatestJob(context) : await findJob(context.folders, id);
  const images = await readBeforeImages(folder.beforeImages);
  const journal = await openJournal(folder);
  const description = journal.getFact('job');
  const state = await readJobState(folder, journal);
  const applied = journal.getFact('plan') as SavedPlan | undefined;
  const permanent = applied
    ? describePermanentChanges(findMadeChanges(applied, journal))
    : describePermanentOperation(description?.operation ?? '', images.length > 0);
  journal.close();
  if (!description) throw damagedError(folder.journal);
  if (state === 'running') {
    throw new SvcError('locked', `job ${folder.job} is running`, {
      hint: hint`wait for it; ${step('inspect', 'jobs', 'watch', folder.job)} shows its progress`,
    });
  }
  await withContext(await openJobContext(context, description.target), async (opened) => {
    const live = await readLive(createReadOnlyClient(await opened.client()), queryKeys(images.map(({ key }) => key)));
    const restored = planUndo(await findPlanTarget(opened), images, live);
    const plan = { ...restored, notRestored: [...restored.notRestored, ...permanent] };
    await printPlan(opened, plan, `the state before job ${folder.job}`);
    if (options.out === undefined) return;
    const origin = { profile: description.target.profile ?? undefined, allowReplace: false, files: [], secrets: [] };
    await savePlan(opened, plan, options.out, origin);
  });
}

/** Length of the start time in a job ID, in seconds. */
const TIME_LENGTH = '20260131-094500'.length;

async function findLatestJob({ folders }: Context): Promise<JobFolder> {
  let latest: { readonly folder: JobFolder; readonly startedAt: number } | undefined;
  for (const name of await listJobNames(folders)) {
    if (latest && name.slice(0, TIME_LENGTH) !== latest.folder.job.slice(0, TIME_LENGTH)) break;
    const folder = jobFolderOf(folders, name);
    const images = await readBeforeImages(folder.beforeImages);
    if (images.length === 0 || (await isLocked(folder.lock))) continue;
    const journal = await openJournal(folder);
    const { startedAt = 0 } = journal.getFact('job') ?? {};
    journal.close();
    if (!latest || startedAt > latest.startedAt) latest = { folder, startedAt };
  }
  if (latest) return latest.folder;
  throw new SvcError('usage', 'no job can be undone', { hint: hint`list all jobs with ${step('inspect', 'jobs', 'list')}` });
}
