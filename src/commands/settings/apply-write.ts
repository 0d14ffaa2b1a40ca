import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { JobDescription } from '../../bulk/journal/job-description.ts';
import { createJobName } from '../../bulk/journal/job-folder.ts';
import type { Journal } from '../../bulk/journal/journal.ts';
import { getEntry } from '../../catalog/manifest.ts';
import { type Failure, hint, SvcError, step } from '../../kernel/errors.ts';
import { resolveLinks, throwFileError } from '../../kernel/files.ts';
import { formatCanonicalJson } from '../../kernel/json.ts';
import { copyHashed, hashFile } from '../../settings/file/read-files.ts';
import { Ledger } from '../../settings/ledger.ts';
import { EXPIRED, findUnusable, isExpired } from '../../settings/plan/saved-plan.ts';
import {
  isSavedWrite,
  type PlannedInput,
  type PlannedRecords,
  parsePlanFile,
  type SavedWrite,
} from '../../settings/plan/saved-write.ts';
import { sendRequest } from '../bulk/bulk-operation.ts';
import { type BulkRequest, parseStoredOptions } from '../bulk/bulk-request.ts';
import { createLockedFolder, discardJob, type LockedJobFolder } from '../bulk/open-job.ts';
import { runSavedCalls } from '../call/run-call.ts';
import { findPlanTarget, nameTarget } from '../connection/find-target.ts';
import type { Context } from '../context.ts';
import { optionalProperty } from '../options.ts';
import { countRequests, printWrite } from '../write-plans/print-write.ts';
import { APPLIED_BEFORE, withTargetHint } from './check-plan.ts';
import { withEnvironment } from './open-environment.ts';
import { isUsed, markUsed, unmarkUsed, usedMarkOf } from './used-mark.ts';
import { type CheckedApprovals, grantApproved, readApprovals } from './verify-approvals.ts';

/** A saved write, and the name of its file. */
export interface SavedWriteFile {
  readonly plan: SavedWrite;
  readonly file: string;
}

/**
 * Sends what a saved write contains, after a confirmation. Records become a job.
 * @throws SvcError `stale_plan` if the input or the target is a different one, or if the plan was
 * applied before; `approval_required`; otherwise like the command that saved the plan
 */
export async function applyWrite(context: Context, saved: SavedWriteFile): Promise<void> {
  const { plan, file } = saved;
  const named = { file, ...optionalProperty('profile', plan.profile ?? undefined) };
  await withEnvironment(context, named, async (opened) => {
    const approved = await grantApproved(opened, plan, () => readApprovals(context.cwd, file));
    await checkUnused(opened, saved, approved);
    await checkInputs(opened, saved);
    const target = await nameTarget(opened, plan.target, {});
    if ((await opened.format()) === 'table' && !opened.options.fields)
      await printWrite(opened, plan, { target });
    const { options } = opened;
    if (!options.dryRun) {
      await opened.confirm(`Apply this plan (${await countRequests(plan.write)})?`);
      await (await opened.client()).ensureWritesAllowed();
    }
    // Questions about the write were answered with the plan.
    const confirmed = {
      ...opened,
      options: { ...options, yes: true },
      confirm: async () => undefined,
    };
    await sendOnce(confirmed, saved, approved);
  });
}

/** @param exists whether there is a file in place of the copy, which a new plan would not replace */
function createCopyError(
  saved: SavedWriteFile,
  { copy, name }: Pick<PlannedInput, 'copy' | 'name'>,
  exists: boolean,
): SvcError {
  const reason = `${copy} beside the plan is not the copy of ${name}`;
  return createStaleError(saved, reason, exists ? `move or delete ${copy}, and ` : '');
}

/** @param first what to do before a new plan is saved */
function createStaleError({ plan, file }: SavedWriteFile, reason: string, first = ''): SvcError {
  const message = `${file} cannot be applied: ${reason}; nothing was sent`;
  const { command } = plan;
  return new SvcError('stale_plan', message, {
    hint:
      command.length === 0
        ? 'an agent saved this plan; ask it to save a new one'
        : hint`to create a new plan, ${first}run ${step('inspect', ...command)}`,
  });
}

async function checkUnused(
  context: Context,
  saved: SavedWriteFile,
  approved: CheckedApprovals,
): Promise<void> {
  const { plan, file } = saved;
  const { sha256 } = plan;
  const isApplied = await Ledger.use(context, (ledger) => ledger.wasApplied(sha256));
  const isMarked = approved.files.length > 0 && (await isUsed(plan, file, context.cwd));
  if (isApplied || isMarked) throw createStaleError(saved, APPLIED_BEFORE);
  // Without a configured service, fails like any other command.
  await context.client();
  const unusable = findUnusable(plan, await findPlanTarget(context), context.clock.now());
  if (unusable === undefined) return;
  const error = createStaleError(saved, unusable);
  throw await withTargetHint(context, error, { plan, file, unusable });
}

/**
 * Checks a saved write before a person approves it: the person may read the copies of its input.
 * @throws SvcError `stale_plan` if the plan has expired or its input has changed
 */
export async function checkSavedWrite(context: Context, saved: SavedWriteFile): Promise<void> {
  if (isExpired(saved.plan, context.clock.now())) throw createStaleError(saved, EXPIRED);
  await checkInputs(context, saved);
}

/** Returns the folder of the plan, which may be named by a link, and of the copies of its input. */
async function findCopies(cwd: string, { file }: SavedWriteFile): Promise<string> {
  return dirname(await resolveLinks(resolve(cwd, file)).catch(throwFileError('read', file)));
}

/** @throws SvcError `stale_plan` if an input file or its copy has other bytes than the plan says */
async function checkInputs({ cwd, signal }: Context, saved: SavedWriteFile): Promise<void> {
  const { write } = saved.plan;
  if ('inputs' in write) return;
  const folder = await findCopies(cwd, saved);
  for (const { path, copy, sha256, name } of write.files) {
    const copied = await hashFile(copy, folder, signal).catch(() => undefined);
    if (copied?.sha256 !== sha256)
      throw createCopyError(saved, { copy, name }, copied !== undefined);
    // The plan may be applied on a machine without the file.
    const given =
      path === null ? undefined : await hashFile(path, '/', signal).catch(() => undefined);
    if (given !== undefined && given.sha256 !== sha256)
      throw createStaleError(saved, `${name} has changed since the plan was saved`);
  }
}

/** Failures after which the service has not changed. */
const NOT_APPLIED: ReadonlySet<Failure> = new Set([
  'usage',
  'invalid_input',
  'invalid_argument',
  'already_exists',
  'no_credential',
  'unauthenticated',
  'permission_denied',
  'read_only',
  'approval_required',
  'not_found',
  'failed_precondition',
  'resource_exhausted',
  'unreachable',
  'invalid_response',
  'stale_plan',
]);

/** Notes that a plan is used, and sends it. Reverts the note if nothing was applied. */
async function sendOnce(
  context: Context,
  saved: SavedWriteFile,
  approved: CheckedApprovals,
): Promise<void> {
  const { plan, file } = saved;
  const { write, sha256 } = plan;
  const mark = approved.files.length > 0 ? await usedMarkOf(plan, file, context.cwd) : undefined;
  const note = async () => {
    const isNew = await Ledger.use(context, (ledger) => ledger.noteApplied(sha256));
    if (!isNew || (mark !== undefined && !(await markUsed(mark))))
      throw createStaleError(saved, APPLIED_BEFORE);
  };
  const forget = async () => {
    await Ledger.use(context, (ledger) => ledger.forgetApplied(sha256));
    if (mark !== undefined) await unmarkUsed(mark);
  };
  if ('inputs' in write) {
    if (!context.options.dryRun) await note();
    try {
      await runSavedCalls(context, getEntry(write.operation), write.inputs);
    } catch (error) {
      const isUnchanged =
        error instanceof SvcError && NOT_APPLIED.has(error.failure) && write.inputs.length === 1;
      if (isUnchanged && error.failure !== 'stale_plan') await forget();
      throw error;
    }
    return;
  }
  const job = createJobName(context.clock.now());
  const lockedFolder = await createLockedFolder(context, job);
  let isNoted = false;
  try {
    const copies = await copyInputs(context, saved, write, lockedFolder);
    const onStart = async (journal: Journal) => {
      journal.setFact('plan', plan);
      if (approved.files.length > 0) {
        journal.setFact('approvals', approved.files);
        journal.setFact('approvedBy', approved.approvedBy);
      }
      journal.flush('durable');
      await note();
      isNoted = true;
    };
    await sendRequest(context, getEntry(write.operation), createRequest(job, write, copies), {
      job,
      lockedFolder,
      onStart,
    });
  } catch (error) {
    // The job has discarded itself, so the plan can be applied again.
    if (isNoted && isRefused(error, context)) await forget();
    throw error;
  }
}

/** Whether a job ended before any record had an outcome, so that it need not be resumed. */
function isRefused(error: unknown, { activity: { counts } }: Context): boolean {
  const decided = counts ? counts.succeeded + counts.failed + counts.unknown : 0;
  return (
    error instanceof SvcError &&
    decided === 0 &&
    error.failure !== 'resource_exhausted' &&
    NOT_APPLIED.has(error.failure)
  );
}

/** Copies the records into the folder of the job, from which they are sent. */
async function copyInputs(
  { cwd, signal, clock }: Context,
  saved: SavedWriteFile,
  { files, records }: PlannedRecords,
  lockedFolder: LockedJobFolder,
): Promise<NonNullable<BulkRequest['copies']>> {
  const { folder } = lockedFolder;
  try {
    if (records) {
      const file = join(folder.path, RECORDS);
      await writeFile(file, JSON.stringify(records), { flag: 'wx', mode: 0o600 });
      return [{ file, name: RECORDS_NAME, format: 'json' }];
    }
    const beside = await findCopies(cwd, saved);
    const copies: NonNullable<BulkRequest['copies']>[number][] = [];
    for (const [at, { name, copy, format, sha256 }] of files.entries()) {
      const file = join(folder.path, `input-${at + 1}.${format}`);
      if ((await copyHashed(join(beside, copy), file, signal)).sha256 !== sha256)
        throw createCopyError(saved, { copy, name }, true);
      copies.push({ file, name, format });
    }
    return copies;
  } catch (error) {
    await discardJob(lockedFolder, clock);
    throw error;
  }
}

const RECORDS = 'records.json';
/** Name of records that do not come from a file, in messages. */
const RECORDS_NAME = '--data';

function createRequest(
  job: string,
  { data, hasDefaultOrganization, options }: PlannedRecords,
  copies: NonNullable<BulkRequest['copies']>,
): BulkRequest {
  return {
    data,
    record: undefined,
    usesDataFlag: true,
    hasDefaultOrganization,
    options: parseStoredOptions({ job, options }),
    copies,
    flags: {},
  };
}

/**
 * Allows a job of a saved write to be resumed.
 * @throws SvcError `invalid_input` if the job would send something else than the plan,
 * `approval_required`
 */
export async function checkSavedJob(
  context: Context,
  saved: unknown,
  description: JobDescription,
  journal: Journal,
): Promise<void> {
  const plan = await parsePlanFile(JSON.stringify(saved), `the plan of job ${description.job}`);
  await grantApproved(context, plan, async () => journal.getFact('approvals') ?? []);
  if (!isSavedWrite(plan) || !isJobOf(plan, description))
    throw new SvcError(
      'invalid_input',
      `job ${description.job} differs from the plan that started it; nothing was sent`,
    );
  await Ledger.use(context, (ledger) => ledger.noteApplied(plan.sha256));
}

/** Whether a job sends exactly the records of a plan. The user may change where rejects go. */
function isJobOf(
  { write }: SavedWrite,
  { operation, data, options, inputs }: JobDescription,
): boolean {
  if ('inputs' in write) return false;
  const { organizationId, ...others } = write.data;
  const sent = inputs.map(({ name, format, sha256 }) => ({ name, format, sha256 }));
  const isDefaultUnused = write.hasDefaultOrganization && data['organizationId'] === undefined;
  const planned = {
    operation: write.operation,
    data: isDefaultUnused || organizationId === undefined ? others : write.data,
    options: withoutRejects(write.options),
    sent: plannedInputs(write),
  };
  const found = { operation, data, options: withoutRejects(options), sent };
  return formatCanonicalJson(planned) === formatCanonicalJson(found);
}

function withoutRejects({ rejects: _rejects, ...others }: JobDescription['options']): object {
  return others;
}

function plannedInputs({ files, records }: PlannedRecords): readonly object[] {
  if (!records) return files.map(({ name, format, sha256 }) => ({ name, format, sha256 }));
  const sha256 = createHash('sha256').update(JSON.stringify(records)).digest('hex');
  return [{ name: RECORDS_NAME, format: 'json', sha256 }];
}
