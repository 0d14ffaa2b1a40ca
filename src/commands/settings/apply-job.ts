import { stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import type { JobDescription } from '../../bulk/journal/job-description.ts';
import { createJobName, type JobFolder, markStarted } from '../../bulk/journal/job-folder.ts';
import { Journal } from '../../bulk/journal/journal.ts';
import { formatFromName } from '../../bulk/source/detect-format.ts';
import { summarize } from '../../bulk/summary.ts';
import { createReadOnlyClient } from '../../client/read-only.ts';
import { readAttribution } from '../../kernel/attribution.ts';
import { SvcError } from '../../kernel/errors.ts';
import { compareUnsent } from '../../settings/execute/compare-unsent.ts';
import { countItems, findSentFile } from '../../settings/execute/execute-plan.ts';
import {
  type EndedRun,
  type PlanRunDependencies,
  runPlan,
} from '../../settings/execute/run-plan.ts';
import { copyHashed, hashFile } from '../../settings/file/read-files.ts';
import { readSecret } from '../../settings/file/read-secret.ts';
import { Ledger } from '../../settings/ledger.ts';
import { readLive } from '../../settings/live/read-live.ts';
import { readSecrets, type SecretsByReference } from '../../settings/plan/item-secrets.ts';
import {
  findChangedSecret,
  parseSavedPlan,
  type ReadyPlan,
} from '../../settings/plan/saved-plan.ts';
import { findUsersFile } from '../../settings/plan.ts';
import { openBeforeImages } from '../bulk/before-images.ts';
import { createJobError } from '../bulk/job-error.ts';
import {
  createLockedFolder,
  discardJob,
  type LockedJobFolder,
  type OpenJob,
} from '../bulk/open-job.ts';
import { showSendProgress } from '../bulk/show-progress.ts';
import { describeJobTarget } from '../connection/describe-target.ts';
import type { Context } from '../context.ts';
import { createBlockedError, describeBlocked, findBlocked } from './blocked-changes.ts';
import { APPLIED_BEFORE, createStalePlanError } from './check-plan.ts';
import { APPLY, CHANGE } from './job-context.ts';
import { printApplied, printTarget } from './print-applied.ts';
import { markUsed, unmarkUsed, usedMarkOf } from './used-mark.ts';
import { type CheckedApprovals, grantApproved, NO_APPROVALS } from './verify-approvals.ts';

type ApplyJob = OpenJob & { readonly lockedFolder: LockedJobFolder };

interface AppliedPlan {
  /** File of the plan, if it was saved. */
  readonly file?: string | undefined;
  /** The approvals of the plan, which a resumed job needs again. */
  readonly approved?: CheckedApprovals | undefined;
}

/**
 * Applies a plan as a job, which can be resumed.
 * @throws SvcError unless every change was made; the result is printed first, unless nothing was
 * sent
 */
export async function applyPlan(
  context: Context,
  planned: ReadyPlan,
  { file, approved = NO_APPROVALS }: AppliedPlan,
): Promise<void> {
  const { clock, cwd } = context;
  const mark =
    approved.files.length > 0 && file !== undefined
      ? await usedMarkOf(planned, file, cwd)
      : undefined;
  const secrets = await readWrittenSecrets(context, planned);
  await (await context.client()).ensureWritesAllowed();
  const job = createJobName(clock.now());
  const lockedFolder = await createLockedFolder(context, job);
  let started = false;
  try {
    const plan = await copyUsersFile(context, planned, lockedFolder.folder, file);
    const description = await describeApplyJob(context, job, plan);
    await markStarted(lockedFolder.folder);
    const journal = await Journal.create(description, lockedFolder.folder.journal, plan);
    started = true;
    const blocked = findBlocked(plan).map(describeBlocked);
    if (blocked.length > 0) journal.setFact('blocked', blocked);
    if (approved.files.length > 0) {
      journal.setFact('approvals', approved.files);
      journal.setFact('approvedBy', approved.approvedBy);
    }
    const createStaleError = () => createStalePlanError(plan, file, APPLIED_BEFORE);
    await runApplyJob(context, { description, journal, lockedFolder }, plan, secrets, {
      noteApplied: async (ledger) => {
        if (!ledger.noteApplied(plan.sha256)) throw createStaleError();
        if (mark && !(await markUsed(mark))) throw createStaleError();
      },
      forgetApplied: async () => {
        if (mark) await unmarkUsed(mark);
      },
    });
  } finally {
    if (!started) await discardJob(lockedFolder, clock);
  }
}

/**
 * Copies the file of users that a plan sends into the job's folder, so that exactly the users that
 * the plan was made for are sent, also by a resumed job.
 * @throws SvcError `stale_plan` if the file has changed
 */
async function copyUsersFile(
  { signal }: Context,
  plan: ReadyPlan,
  folder: JobFolder,
  file: string | undefined,
): Promise<ReadyPlan> {
  const sent = findSentFile(plan.writes);
  if (!sent) return plan;
  const copy = join(folder.path, `users-${basename(sent.path)}`);
  const { sha256 } = await copyHashed(sent.path, copy, signal);
  if (sha256 !== findUsersFile(plan.changes)?.sha256)
    throw createStalePlanError(plan, file, `${sent.path} has changed since the plan was saved`);
  const writes = plan.writes.map((write) =>
    write.from ? { ...write, from: { ...write.from, copy } } : write,
  );
  return { ...plan, writes };
}

/**
 * Sends the items that have not succeeded.
 * @throws SvcError `invalid_input` if the file of users or the journal changed, `approval_required`
 * if an approval has expired, and like `applyPlan`
 */
export async function resumeApplyJob(context: Context, job: ApplyJob): Promise<void> {
  const { writes, ...saved } = job.journal.getFact('plan') as ReadyPlan;
  const name = `the plan of job ${job.description.job}`;
  const plan = { ...(await parseSavedPlan(JSON.stringify(saved), name)), writes };
  await grantApproved(context, plan, async () => job.journal.getFact('approvals') ?? []);
  const secrets = await readWrittenSecrets(context, plan);
  const sent = findSentFile(writes);
  const { path = '', copy = path } = sent ?? {};
  const sha256 = findUsersFile(plan.changes)?.sha256;
  if (sent && (await hashFile(copy, '/', context.signal)).sha256 !== sha256)
    throw createChangedInputError(path, job.description.job);
  const client = await context.client();
  await client.ensureWritesAllowed();
  const secret = await findChangedSecret(plan, [...secrets.values()]);
  if (secret !== undefined)
    throw createChangedInputError(`the secret ${secret}`, job.description.job);
  await printTarget(context, plan);
  const hasSent = await Ledger.use(context, (ledger) => ledger.wasApplied(plan.sha256));
  await runApplyJob(context, job, plan, secrets, {
    noteApplied: async (ledger) => void ledger.noteApplied(plan.sha256),
    compareUnsent: async (isUnsent) => {
      const live = await readLive(createReadOnlyClient(client), plan.query);
      const unsent = await compareUnsent(plan, { live, secrets, isUnsent });
      const isAllChanged = unsent.changed.size === job.description.records;
      if (hasSent || !isAllChanged) return unsent;
      const [key] = plan.writes.flatMap(({ items }) => items.map((item) => item.key));
      throw createStalePlanError(plan, undefined, `${key} has changed since the plan was saved`);
    },
  });
  const blocked = createBlockedError(plan);
  if (blocked) throw blocked;
}

function createChangedInputError(name: string, job: string): SvcError {
  return new SvcError(
    'invalid_input',
    `${name} changed after job ${job} started; nothing was sent`,
    { hint: 'restore the original, or plan again' },
  );
}

async function readWrittenSecrets(
  { environment, cwd, signal }: Context,
  { writes }: ReadyPlan,
): Promise<SecretsByReference> {
  return readSecrets(writes, (reference) => readSecret(reference, environment, cwd, signal));
}

interface RunHooks {
  /** Called before the first request. Throws to stop the job. */
  readonly noteApplied: (ledger: Ledger) => Promise<void>;
  /** Called if nothing was sent. */
  readonly forgetApplied?: () => Promise<void>;
  readonly compareUnsent?: PlanRunDependencies['compareUnsent'];
}

async function runApplyJob(
  context: Context,
  job: ApplyJob,
  plan: ReadyPlan,
  secrets: SecretsByReference,
  { noteApplied, forgetApplied, compareUnsent: compare }: RunHooks,
): Promise<void> {
  const { clock, signal } = context;
  const { description, journal, lockedFolder } = job;
  try {
    const client = await context.client();
    const saveImages = await openBeforeImages(context, lockedFolder.folder);
    let isNoted = false;
    const ended = await Ledger.use(context, (ledger) =>
      runPlan(plan, {
        journal,
        client,
        clock,
        signal,
        ledger,
        secrets,
        ...(compare && { compareUnsent: compare }),
        beforeSend: async ({ operation }, inputs) => {
          await saveImages?.(operation, inputs);
          if (!isNoted) await noteApplied(ledger);
          isNoted = true;
        },
        onStart: async (counters, limiter) =>
          showSendProgress(context, counters, limiter, {
            records: description.records,
            noun: CHANGE,
          }),
      }),
    );
    const { stop, counters } = ended;
    if (stop?.kind === 'broken' && stop.error.failure === 'stale_plan') throw stop.error;
    if (stop?.kind === 'fatal' && counters.decided === 0) {
      // Nothing has changed, so the plan can be applied again.
      journal.close();
      await discardJob(lockedFolder, clock);
      await Ledger.use(context, (ledger) => ledger.forgetApplied(plan.sha256));
      await forgetApplied?.();
      throw stop.error;
    }
    const { summary, failure } = endRun(job, ended, clock.now());
    await printApplied(context, plan, journal, {
      summary,
      createdEndpoints: ended.createdEndpoints,
      earlier: ended.earlier,
    });
    if (failure !== undefined) throw failure;
  } catch (error) {
    const isStale = error instanceof SvcError && error.failure === 'stale_plan';
    if (isStale) {
      journal.close();
      await discardJob(lockedFolder, clock);
    }
    throw error;
  } finally {
    journal.close();
    lockedFolder.release();
  }
}

/**
 * Summarizes a run, and records how it ended. The failure is undefined if every change was made
 * that could be.
 */
function endRun(
  { description, journal }: ApplyJob,
  { stop, counters, metrics, recorder }: EndedRun,
  now: number,
) {
  const blocked = journal.getFact('blocked') ?? [];
  const isDone = stop === undefined && counters.failed + counters.unknown === 0;
  const summary = summarize(description, journal, {
    ...counters,
    ...counters.existing,
    succeeded: counters.succeeded + counters.existing.existing,
    failed: counters.failed + blocked.length,
    seconds: metrics.seconds(now),
    rejects: null,
    refusesExisting: false,
  });
  const failure = isDone
    ? undefined
    : createJobError(summary, { noun: CHANGE, stop, resumable: true });
  recorder.end(isDone ? { rejects: null } : { error: failure }, now);
  return { summary, failure };
}

async function describeApplyJob(
  context: Context,
  job: string,
  { writes, files }: ReadyPlan,
): Promise<JobDescription> {
  const { cwd, clock } = context;
  const items = countItems(writes);
  const users = findSentFile(writes);
  const inputs = files.map(async ({ path, sha256 }) => ({
    name: relative(cwd, path),
    path,
    spooled: false,
    sha256,
    first: users?.path === path ? items : 0,
    format: formatFromName(path) ?? 'yaml',
    bytes: (await stat(path)).size,
  }));
  return {
    job,
    operation: APPLY,
    data: {},
    options: {},
    cwd,
    target: await describeJobTarget(context),
    inputs: await Promise.all(inputs),
    records: items + (users?.records ?? 0),
    leftOut: 0,
    startedAt: clock.now(),
    startedBy: readAttribution(context.environment),
  };
}
