import { entryNamed } from '../../catalog/manifest.ts';
import type { Clock } from '../../kernel/clock.ts';
import { withWayOut } from '../call/way-out.ts';
import type { Context } from '../context.ts';
import { commandAgain, commandForRejects } from './again.ts';
import { type Finished, finishJob, summaryOf } from './finish.ts';
import { discardPlace, type OpenJob } from './job.ts';
import { hasLanded, type JobRun, openRun } from './job-run.ts';
import { sendJob } from './sending.ts';
import { showSummary } from './show.ts';
import { failureOf } from './verdict.ts';
import type { Work } from './work.ts';

/**
 * Sends what a job has yet to send, writes its files, and prints the summary of the whole job.
 * @throws SvcError when not every record landed, after the summary was printed
 */
export async function runJob(context: Context, job: OpenJob, work: Work): Promise<void> {
  const run = await openRun(context, job, work).catch(async (error: unknown) => {
    await leave(job, context.clock);
    throw error;
  });
  const stop = await sendJob(run);
  const { noun } = work.calls.fields;
  if (stop?.why === 'hopeless' && !hasLanded(run)) {
    const summary = summaryOf(run, null, context.clock.now());
    await comeToNothing(run);
    await showSummary(context, noun, summary);
    throw withWayOut(entryNamed(job.description.operation), work.calls.data, stop.error);
  }
  const finished = await finishJob(run, stop);
  const { summary, stop: ended, resumable } = finished;
  await showSummary(context, noun, summary);
  const again = await wayAgain(run, finished);
  const failure = failureOf(summary, { noun, stop: ended, resumable, again });
  if (failure !== undefined) throw failure;
}

/** The command line that sends what did not land, where that is for the user to do and can be told. */
async function wayAgain({ context, job, work }: JobRun, { summary, resumable, rejects: written }: Finished) {
  if (resumable) return undefined;
  const { rejects, unknown } = summary;
  if (rejects === null) return unknown > 0 ? commandAgain(context, work) : undefined;
  return written && commandForRejects(context.options, job.description, written, rejects);
}

/** Nothing was applied and nothing will be: no trace of it stays. */
async function comeToNothing({ context, files, job }: JobRun): Promise<void> {
  await files.rejects?.discard();
  await files.results?.close();
  await leave(job, context.clock);
}

/** Gives up a job that nothing was sent of in this run. One that was just begun is not kept. */
async function leave({ journal, place }: OpenJob, clock: Clock): Promise<void> {
  const isNew = journal.fact('run') === undefined;
  journal.close();
  if (place && isNew) await discardPlace(place, clock);
  else place?.release();
}
