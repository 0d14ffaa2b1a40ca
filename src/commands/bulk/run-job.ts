import type { BulkSummary } from '../../bulk/summary.ts';
import { getEntry } from '../../catalog/manifest.ts';
import type { Clock } from '../../kernel/clock.ts';
import { withHint } from '../call/error-hints.ts';
import type { Context } from '../context.ts';
import { saveTargetIds } from '../ids/collect-ids.ts';
import { type FinishedJob, finishJob, summarizeRun } from './finish-job.ts';
import { rejectsCommand, retryCommand } from './follow-up-commands.ts';
import { jobError } from './job-error.ts';
import { type JobRun, openJobRun } from './job-run.ts';
import { discardJob, type OpenJob } from './open-job.ts';
import { printSummary } from './print-summary.ts';
import type { RecordWrite } from './record-write.ts';
import { sendJob } from './send-job.ts';
import type { SendPlan } from './send-plan.ts';

/**
 * Sends the pending records of a job, writes its output files, and prints the summary.
 * @throws SvcError unless every record succeeded. The summary is printed first.
 */
export async function runJob(context: Context, job: OpenJob, plan: SendPlan): Promise<void> {
  const run = await openJobRun(context, job, plan).catch(async (error: unknown) => {
    await closeUnsentJob(job, context.clock);
    throw error;
  });
  const stop = await sendJob(run);
  const entry = getEntry(job.description.operation);
  const { fields, data } = plan.calls;
  const { first } = plan.input.check;
  const isSingle = first && job.description.records + job.description.leftOut === 1;
  const single = isSingle ? { entry, fields, data, id: first.id } : undefined;
  if (stop?.kind === 'fatal' && run.counters.decided === 0) {
    const summary = summarizeRun(run, null, context.clock.now());
    await run.files.rejects?.discard();
    await run.files.results?.close();
    await closeUnsentJob(job, context.clock);
    await reportSummary(run, summary, single);
    throw withHint(entry, data, stop.error);
  }
  const finished = await finishJob(run, stop);
  const { summary, stop: finalStop, resumable } = finished;
  await reportSummary(run, summary, single);
  if (summary.succeeded > 0) await saveTargetIds(context, entry, plan.calls);
  const followUp = await followUpCommand(run, finished);
  const failure = jobError(summary, { noun: fields.noun, stop: finalStop, resumable, followUp, single });
  if (failure !== undefined) throw failure;
}

/** Prints the summary. For records from files, also appends it to the GitHub Actions step summary. */
async function reportSummary({ context, job, plan }: JobRun, summary: BulkSummary, single?: RecordWrite): Promise<void> {
  const { noun } = plan.calls.fields;
  const path = context.environment['GITHUB_STEP_SUMMARY'];
  if (job.lockedFolder && path) {
    const { appendStepSummary } = await import('./step-summary.ts');
    await appendStepSummary(context, path, noun, summary);
  }
  await printSummary(context, noun, summary, single);
}

/** Creates the command that sends the failed and unknown records. Returns `undefined` if the job can be resumed. */
async function followUpCommand({ context, job, plan }: JobRun, { summary, resumable, rejects: writtenRejects }: FinishedJob) {
  if (resumable) return undefined;
  const { rejects, unknown } = summary;
  if (rejects === null) return unknown > 0 ? retryCommand(context, plan) : undefined;
  return writtenRejects && rejectsCommand(context.options, job.description, writtenRejects, rejects);
}

/** Closes a job after a run without requests. Deletes a new job. */
async function closeUnsentJob({ journal, lockedFolder }: OpenJob, clock: Clock): Promise<void> {
  const isNew = journal.getFact('run') === undefined;
  journal.close();
  if (lockedFolder && isNew) await discardJob(lockedFolder, clock);
  else lockedFolder?.release();
}
