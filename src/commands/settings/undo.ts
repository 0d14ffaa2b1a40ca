import { createDamagedError } from '../../bulk/journal/database.ts';
import type { JobTarget } from '../../bulk/journal/job-description.ts';
import {
  findJob,
  type JobFolder,
  jobFolderOf,
  listJobNames,
  openJournal,
  readJobState,
} from '../../bulk/journal/job-folder.ts';
import { createReadOnlyClient } from '../../client/read-only.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { isLocked } from '../../kernel/lock.ts';
import { closeAfter } from '../../kernel/resource.ts';
import { findMadeChanges } from '../../settings/execute/item-states.ts';
import { queryKeys } from '../../settings/live/declared-query.ts';
import { readLive } from '../../settings/live/read-live.ts';
import type { ReadyPlan } from '../../settings/plan/saved-plan.ts';
import { type BeforeImage, readBeforeImages } from '../../settings/undo/before-images.ts';
import {
  describePermanentChanges,
  describePermanentOperation,
  planUndo,
} from '../../settings/undo/plan-undo.ts';
import { findPlanTarget, nameTarget } from '../connection/find-target.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { checkOutputs, jobFiles } from '../outputs/check-outputs.ts';
import type { UndoFlags } from './flags.ts';
import { openJobContext } from './job-context.ts';
import { nextOfUndo } from './next-commands.ts';
import { savePlan } from './plan.ts';
import { DeclaredGrants, previewPlanAccess } from './preview-plan-access.ts';
import { printPlan } from './print-plan.ts';

interface Undoable {
  readonly name: string;
  readonly job: string;
  readonly target: JobTarget;
  readonly images: readonly BeforeImage[];
  /** Sentences about writes that cannot be undone. */
  readonly permanent: readonly string[];
}

/**
 * Prints a plan that restores the values that a job replaced, and saves it with `--out`.
 * @throws SvcError `usage` if it does not exist, or if nothing can be undone; `locked` while the
 * job is running
 */
export async function undoJob(
  context: Context,
  { arguments: [id], options }: Invocation<UndoFlags>,
): Promise<void> {
  const { name, job, target, images, permanent } =
    id === undefined ? await findLatest(context) : await findUndoable(context, id);
  const { out, force = false } = options;
  if (out !== undefined)
    await checkOutputs(context, {
      inputs: jobFiles(jobFolderOf(context.folders, job)),
      outputs: [{ name: '--out', file: out, use: 'plan' }],
      force,
    });
  await closeAfter(await openJobContext(context, target), async ({ context: opened }) => {
    const live = await readLive(
      createReadOnlyClient(await opened.client()),
      queryKeys(images.map(({ key }) => key)),
    );
    const restored = planUndo(await findPlanTarget(opened), images, live);
    const access = await previewPlanAccess(opened, {
      plan: restored,
      live,
      declared: new DeclaredGrants(),
    });
    const plan = { ...restored, notRestored: [...restored.notRestored, ...permanent], access };
    await printPlan(opened, plan, `the state before ${name}`, {
      target: await nameTarget(opened, plan.target, {}),
      next: plan.writes.length > 0 ? await nextOfUndo(context, opened, job, out) : {},
    });
    if (out === undefined) return;
    const origin = {
      profile: target.profile ?? undefined,
      allowReplace: false,
      files: [],
      secrets: [],
    };
    await savePlan(opened, plan, out, origin);
  });
}

async function findUndoable({ folders }: Context, id: string): Promise<Undoable> {
  const folder = await findJob(folders, id);
  return readJob(folder, await readBeforeImages(folder.beforeImages));
}

async function readJob(folder: JobFolder, images: readonly BeforeImage[]): Promise<Undoable> {
  const journal = await openJournal(folder);
  const description = journal.getFact('job');
  const state = await readJobState(folder, journal);
  const applied = journal.getFact('plan') as ReadyPlan | undefined;
  const permanent = applied
    ? describePermanentChanges(findMadeChanges(applied, journal))
    : describePermanentOperation(description?.operation ?? '', images.length > 0);
  journal.close();
  if (!description) throw createDamagedError(folder.journal);
  if (state === 'running') {
    throw new SvcError('locked', `job ${folder.job} is running`, {
      hint: hint`wait for it; to see its progress, run ${step('inspect', 'jobs', 'watch', folder.job)}`,
    });
  }
  const { target } = description;
  return { name: `job ${folder.job}`, job: folder.job, target, images, permanent };
}

async function findLatest({ folders }: Context): Promise<Undoable> {
  for (const id of await listJobNames(folders)) {
    const folder = jobFolderOf(folders, id);
    const images = await readBeforeImages(folder.beforeImages);
    if (images.length > 0 && !(await isLocked(folder.lock))) return readJob(folder, images);
  }
  throw new SvcError('usage', 'nothing can be undone', {
    hint: hint`to list all jobs, run ${step('inspect', 'jobs', 'list')}; to list other writes, run ${step('inspect', 'history')}`,
  });
}
