import { relative, resolve } from 'node:path';
import type { JobDescription } from '../../bulk/journal/job-description.ts';
import type { Journal } from '../../bulk/journal/journal.ts';
import { type BulkSummary, summarize } from '../../bulk/summary.ts';
import { SvcError } from '../../kernel/errors.ts';
import { hint, step } from '../../kernel/hint.ts';
import { rejectsCommand } from '../bulk/follow-up-commands.ts';
import { jobError } from '../bulk/job-error.ts';
import { printSummary } from '../bulk/print-summary.ts';
import type { Context } from '../context.ts';
import { optionsForTarget } from '../plan/job-context.ts';
import type { BulkOperation, JobRecords } from './job-operation.ts';
import { readStatus } from './status.ts';

/** Prints the summary of a finished job. Throws the same error as the job's last run. */
export async function showFinishedJob(
  context: Context,
  { noun, bulk }: JobRecords,
  description: JobDescription,
  journal: Journal,
): Promise<void> {
  const savedPath = journal.getFact('done')?.rejects ?? null;
  const written = savedPath === null ? undefined : (journal.getFact('rejects') ?? undefined);
  const rejects =
    written && resolve(context.cwd, savedPath ?? '') !== written.path ? relative(context.cwd, written.path) : savedPath;
  const summary = summarizeJob(description, journal, rejects, bulk);
  journal.close();
  const [failed] = summary.failures;
  const isSingle = summary.total === 1 && failed !== undefined;
  const single = isSingle && bulk ? { ...bulk, data: description.data, id: failed.id } : undefined;
  await printSummary(context, noun, summary, single);
  const options = optionsForTarget(context.options, description.target);
  const retryCommand = written && rejects !== null ? rejectsCommand(options, description, written, rejects) : undefined;
  const failure = jobError(summary, { noun, stop: undefined, resumable: false, followUp: retryCommand, single });
  if (failure !== undefined) throw failure;
}

/** Prints the summary of a stopped job. @throws SvcError of the last run, or `stopped` if the process was killed */
export async function showStoppedJob(
  context: Context,
  { noun, bulk }: JobRecords,
  description: JobDescription,
  journal: Journal,
): Promise<never> {
  const { job } = description;
  const written = journal.getFact('rejects');
  const rejects = written ? relative(context.cwd, written.path) : null;
  const summary = summarizeJob(description, journal, rejects, bulk);
  const [run, stopped] = [journal.getFact('run'), journal.getFact('stopped')];
  journal.close();
  await printSummary(context, noun, summary);
  const { failure, message } =
    stopped && stopped.run === run?.number
      ? stopped
      : ({ failure: 'stopped', message: `the process of job ${job} exited before the job finished` } as const);
  throw new SvcError(failure, message, { hint: hint`resume with ${step('resume', 'jobs', 'resume', job)}` });
}

function summarizeJob(
  description: JobDescription,
  journal: Journal,
  rejects: string | null,
  bulk: BulkOperation | undefined,
): BulkSummary {
  const status = readStatus(journal, journal.getFact('done') ? 'done' : 'stopped');
  const refusesExisting = bulk?.fields.ifExists !== undefined;
  return summarize(description, journal, { ...status, ...{ seconds: status.metrics?.seconds ?? 0, rejects, refusesExisting } });
}
