import { resolve } from 'node:path';
import { JobCounters } from '../../bulk/job-counters.ts';
import { JobRecorder } from '../../bulk/job-recorder.ts';
import { Metrics } from '../../bulk/journal/metrics.ts';
import { createRecordLocator } from '../../bulk/record-position.ts';
import { chooseRejectsFormat, openRejectsFile, type RejectsFormat } from '../../bulk/rejects-file.ts';
import { openResultsFile } from '../../bulk/results-file.ts';
import { formatFromName } from '../../bulk/source/detect-format.ts';
import { SvcError } from '../../kernel/errors.ts';
import { resolveOutputPath } from '../../kernel/named-file.ts';
import { pluralize } from '../../kernel/plural.ts';
import type { Context } from '../context.ts';
import { optionalProperty } from '../option-values.ts';
import type { OpenJob } from './open-job.ts';
import type { SendPlan } from './send-plan.ts';

export type JobRun = Awaited<ReturnType<typeof openJobRun>>;

/** Opens a run and restores the counters of earlier runs. @throws SvcError like `openOutputFiles` */
export async function openJobRun(context: Context, job: OpenJob, plan: SendPlan) {
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

/**
 * Opens the output files of a run. @throws SvcError `usage` if a path is also an input or has the wrong extension for
 * rejects, `local` if a file cannot be written
 */
async function openOutputFiles(job: OpenJob, plan: SendPlan) {
  const { cwd, inputs } = job.description;
  const { options } = plan;
  for (const [flag, path] of [['--rejects', options.rejects] as const, ['--results', options.results] as const]) {
    if (path !== undefined && inputs.some((input) => resolve(cwd, path) === resolve(cwd, input.path || input.name))) {
      throw new SvcError('usage', `${flag} is also an input file: ${path}`, { hint: 'choose another file' });
    }
  }
  const rejects = await openRejects(job, plan);
  if (options.results === undefined) return { rejects, results: undefined };
  const existingBytes = job.journal.getFact('results')?.bytes;
  const path = resolveOutputPath(options.results, cwd);
  return { rejects, results: await openResultsFile(path, createRecordLocator(inputs), existingBytes) };
}

async function openRejects({ description, journal }: OpenJob, { input: { check }, options, calls }: SendPlan) {
  const path = options.rejects === undefined ? undefined : resolve(description.cwd, options.rejects);
  const { fields } = calls;
  // Records from the command line can be sent again without a file, unless svc generated their IDs.
  const isRepeatable = fields.generatesIds !== true || description.records === 1;
  if (path === undefined && options.file === undefined && isRepeatable) return undefined;
  const { inputs } = description;
  const origins = inputs.map(({ name, format }, at) => ({ name, format, preamble: check.files[at]?.preamble ?? '' }));
  const format = chooseRejectsFormat(origins, pluralize(fields.noun));
  checkRejectsName(options.rejects, format);
  return openRejectsFile({
    format,
    locate: createRecordLocator(inputs),
    folder: description.cwd,
    ...optionalProperty('path', path),
    ...optionalProperty('earlier', journal.getFact('rejects') ?? undefined),
  });
}

/** Rejects a file extension of another format, because svc could not read the file back. */
function checkRejectsName(path: string | undefined, { format, isConverted }: RejectsFormat): void {
  const named = path === undefined || !isConverted ? undefined : formatFromName(path);
  if (named === undefined || named === format) return;
  throw new SvcError('usage', `--rejects must be an .ndjson file if the inputs differ in format, got ${path}`, {
    hint: 'use a name that ends in .ndjson',
  });
}
