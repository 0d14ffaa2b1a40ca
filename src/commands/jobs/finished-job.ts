import { resolve } from 'node:path';
import type { JobDescription } from '../../bulk/journal/job-description.ts';
import type { Journal } from '../../bulk/journal/journal.ts';
import { summarize } from '../../bulk/summary.ts';
import { bulkFieldsOf } from '../../catalog/bulk-fields.ts';
import { loadOperation } from '../../catalog/index.ts';
import { manifest, type OperationEntry } from '../../catalog/manifest.ts';
import { type Failure, SvcError } from '../../kernel/errors.ts';
import { shortPath } from '../../kernel/named-file.ts';
import { rejectsCommand } from '../bulk/follow-up-commands.ts';
import { createJobError } from '../bulk/job-error.ts';
import { createResumeHint } from '../bulk/open-job.ts';
import { printSummary } from '../bulk/print-summary.ts';
import type { Context } from '../context.ts';
import { DOSSIER, ORGANIZATION } from '../dossier/dossier-run.ts';
import { APPLY, CHANGE, optionsForTarget } from '../settings/job-context.ts';
import { findLostJobInput, readStatus } from './status.ts';

export async function showEndedJob(
  context: Context,
  records: JobRecords,
  description: JobDescription,
  journal: Journal,
) {
  const { noun, bulk } = records;
  const { cwd } = context;
  const [done, run, stopped] = [
    journal.getFact('done'),
    journal.getFact('run'),
    journal.getFact('stopped'),
  ];
  const written = (done?.rejects !== null && journal.getFact('rejects')) || undefined;
  const isHere =
    written !== undefined && done?.rejects && resolve(cwd, done.rejects) === written.path;
  const rejects = written && !isHere ? shortPath(written.path, cwd) : (done?.rejects ?? null);
  const status = readStatus(journal, done ? 'done' : 'stopped');
  const refusesExisting = bulk?.fields.ifExists !== undefined;
  const outcome = { ...status, seconds: status.metrics?.seconds ?? 0, rejects, refusesExisting };
  const summary = summarize(description, journal, outcome);
  journal.close();
  const [failed] = summary.failures;
  const isSingle = done && summary.total === 1 && failed !== undefined;
  const single = isSingle && bulk ? { ...bulk, data: description.data, id: failed.id } : undefined;
  // The job may have had another target than the current folder.
  await printSummary(context, noun, summary, single, async (result) => result);
  if (!done)
    throw createStoppedError(
      description.job,
      await findLostJobInput(description),
      stopped?.run === run?.number ? stopped : undefined,
    );
  const options = optionsForTarget(context.options, description.target);
  const areRejectsStreamed = written?.isRegular === false;
  const followUp =
    written && rejects !== null && !areRejectsStreamed
      ? rejectsCommand(options, description, written, rejects)
      : undefined;
  const failure = createJobError(summary, {
    noun,
    stop: undefined,
    resumable: false,
    followUp,
    areRejectsStreamed,
    single,
  });
  if (failure !== undefined) throw failure;
}

function createStoppedError(
  job: string,
  lostInput: string | undefined,
  recorded?: { readonly failure: Failure; readonly message: string },
): SvcError {
  const message = `the process of job ${job} exited before the job finished`;
  return new SvcError(recorded?.failure ?? 'stopped', recorded?.message ?? message, {
    hint: createResumeHint(job, lostInput),
  });
}

type JobRecords = Awaited<ReturnType<typeof findJobRecords>>;

/**
 * Finds the operation of a job. A job that applies a plan has several, and one that saves the data
 * of a person has none.
 * @throws SvcError like `findJobOperation`
 */
export async function findJobRecords(description: JobDescription) {
  if (description.operation === APPLY) return { noun: CHANGE, bulk: undefined };
  if (description.operation === DOSSIER) return { noun: ORGANIZATION, bulk: undefined };
  const entry = findJobOperation(description);
  const fields = bulkFieldsOf(await loadOperation(entry.resource, entry.name));
  return { noun: fields.noun, bulk: { entry, fields } };
}

/**
 * Finds the operation of a bulk job.
 * @throws SvcError `local` if this version of svc does not have the operation
 */
export function findJobOperation({ operation }: JobDescription): OperationEntry {
  const entry = manifest.find(({ name }) => name === operation);
  if (!entry)
    throw new SvcError('local', `this version of svc does not support the operation ${operation}`);
  return entry;
}
