import { resolve } from 'node:path';
import { Rejects } from '../../bulk/rejects.ts';
import { Results } from '../../bulk/results.ts';
import { SvcError } from '../../kernel/errors.ts';
import { given } from '../option-values.ts';
import type { OpenJob } from './job.ts';
import type { Work } from './work.ts';

/** The files that a run writes beside its journal. */
export interface JobFiles {
  readonly rejects: Rejects | undefined;
  readonly results: Results | undefined;
}

/** @throws SvcError `usage` when a file would go over the input, `local` when one cannot be written. */
export async function openFiles(job: OpenJob, work: Work): Promise<JobFiles> {
  const { cwd } = job.description;
  const { input, options } = work;
  for (const [flag, path] of [['--rejects', options.rejects] as const, ['--results', options.results] as const]) {
    if (path !== undefined && resolve(cwd, path) === resolve(cwd, input.input.path ?? input.input.name)) {
      throw new SvcError('usage', `${flag}: ${path} is the input itself`, { hint: 'name another file' });
    }
  }
  const rejects = await openRejects(job, work);
  if (options.results === undefined) return { rejects, results: undefined };
  const kept = job.journal.fact('results')?.bytes;
  return { rejects, results: await Results.open(resolve(cwd, options.results), kept) };
}

async function openRejects(
  { description, journal }: OpenJob,
  { input, options, calls }: Work,
): Promise<Rejects | undefined> {
  const path = options.rejects === undefined ? undefined : resolve(description.cwd, options.rejects);
  // One record of the command line is corrected there.
  if (path === undefined && calls.single && description.records === 1) return undefined;
  const { name, format } = description.input;
  return Rejects.open({
    source: { name, format, preamble: () => input.survey.preamble },
    folder: description.cwd,
    ...given('path', path),
    ...given('earlier', journal.fact('rejects') ?? undefined),
  });
}
