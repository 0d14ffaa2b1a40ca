import { Metrics } from '../../bulk/journal/metrics.ts';
import { Recorder } from '../../bulk/recorder.ts';
import { Tally } from '../../bulk/tally.ts';
import type { Context } from '../context.ts';
import { given } from '../option-values.ts';
import { type JobFiles, openFiles } from './files.ts';
import type { OpenJob } from './job.ts';
import type { Work } from './work.ts';

/** One run of a job: what it works on, and what is counted and written down meanwhile. */
export interface JobRun {
  readonly context: Context;
  readonly job: OpenJob;
  readonly work: Work;
  readonly files: JobFiles;
  readonly tally: Tally;
  readonly metrics: Metrics;
  readonly recorder: Recorder;
}

/** Goes on counting where the runs before it ended. @throws SvcError as `openFiles` does */
export async function openRun(context: Context, job: OpenJob, work: Work): Promise<JobRun> {
  const files = await openFiles(job, work);
  const { clock } = context;
  const { journal } = job;
  const saved = journal.fact('metrics');
  const { requests, retries, ...counts } = journal.counts();
  const stray = { requests: saved?.strayRequests ?? 0, retries: saved?.strayRetries ?? 0 };
  const tally = new Tally({ ...counts, requests: requests + stray.requests, retries: retries + stray.retries });
  const metrics = new Metrics(clock.now(), saved);
  const recorder = new Recorder({ journal, clock, tally, metrics, ...given('results', files.results) });
  return { context, job, work, files, tally, metrics, recorder };
}

/** Whether the service may have anything of the job. */
export function hasLanded({ tally }: JobRun): boolean {
  return tally.done > 0;
}
