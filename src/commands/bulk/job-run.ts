import { JobCounters } from '../../bulk/job-counters.ts';
import { JobRecorder } from '../../bulk/job-recorder.ts';
import { Metrics } from '../../bulk/journal/metrics.ts';
import type { Context } from '../context.ts';
import type { OpenJob } from './open-job.ts';
import { type OutputFiles, openOutputFiles } from './output-files.ts';
import type { SendPlan } from './send-plan.ts';

/** One run of a job, with its output files and counters. */
export interface JobRun {
  readonly context: Context;
  readonly job: OpenJob;
  readonly plan: SendPlan;
  readonly files: OutputFiles;
  readonly counters: JobCounters;
  readonly metrics: Metrics;
  readonly recorder: JobRecorder;
}

/** Opens a run and restores the counters of earlier runs. @throws SvcError like `openOutputFiles` */
export async function openJobRun(context: Context, job: OpenJob, plan: SendPlan): Promise<JobRun> {
  const files = await openOutputFiles(job, plan);
  const { clock } = context;
  const { journal } = job;
  const saved = journal.getFact('metrics');
  const counts = journal.counts();
  const requests = counts.requests + (saved?.strayRequests ?? 0);
  const retries = counts.retries + (saved?.strayRetries ?? 0);
  const counters = new JobCounters({ ...counts, requests, retries });
  const metrics = new Metrics(clock.now(), saved);
  const recorder = new JobRecorder({ journal, clock, counters, metrics, results: files.results });
  return { context, job, plan, files, counters, metrics, recorder };
}
