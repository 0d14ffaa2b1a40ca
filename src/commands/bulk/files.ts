import { resolve } from 'node:path';
import { placesIn } from '../../bulk/record-place.ts';
import { Rejects } from '../../bulk/rejects.ts';
import { type RejectsForm, rejectsForm } from '../../bulk/rejects-form.ts';
import { Results } from '../../bulk/results.ts';
import { formatOfName } from '../../bulk/source/sniff.ts';
import { SvcError } from '../../kernel/errors.ts';
import { pathToWrite } from '../../kernel/named-file.ts';
import { plural } from '../../kernel/plural.ts';
import { given } from '../option-values.ts';
import type { OpenJob } from './job.ts';
import type { Work } from './work.ts';

/** The files that a run writes beside its journal. */
export interface JobFiles {
  readonly rejects: Rejects | undefined;
  readonly results: Results | undefined;
}

/** @throws SvcError `usage` when a file would go over an input or cannot hold the rejects, `local` when one cannot be written. */
export async function openFiles(job: OpenJob, work: Work): Promise<JobFiles> {
  const { cwd, inputs } = job.description;
  const { options } = work;
  for (const [flag, path] of [['--rejects', options.rejects] as const, ['--results', options.results] as const]) {
    if (path !== undefined && inputs.some((input) => resolve(cwd, path) === resolve(cwd, input.path || input.name))) {
      throw new SvcError('usage', `${flag}: ${path} is the input itself`, { hint: 'name another file' });
    }
  }
  const rejects = await openRejects(job, work);
  if (options.results === undefined) return { rejects, results: undefined };
  const kept = job.journal.fact('results')?.bytes;
  return { rejects, results: await Results.open(pathToWrite(options.results, cwd), placesIn(inputs), kept) };
}

async function openRejects(
  { description, journal }: OpenJob,
  { input: { survey }, options, calls }: Work,
): Promise<Rejects | undefined> {
  const path = options.rejects === undefined ? undefined : resolve(description.cwd, options.rejects);
  // One record of the command line is corrected there.
  if (path === undefined && calls.single && description.records === 1) return undefined;
  const { inputs } = description;
  const origins = inputs.map(({ name, format }, at) => ({ name, format, preamble: survey.files[at]?.preamble ?? '' }));
  const form = rejectsForm(origins, plural(calls.fields.noun));
  checkName(options.rejects, form);
  return Rejects.open({
    form,
    place: placesIn(inputs),
    folder: description.cwd,
    ...given('path', path),
    ...given('earlier', journal.fact('rejects') ?? undefined),
  });
}

/** A name that stands for another format would have the rejects misread when they are fed back. */
function checkName(path: string | undefined, { format, isAnew }: RejectsForm): void {
  const told = path === undefined || !isAnew ? undefined : formatOfName(path);
  if (told === undefined || told === format) return;
  throw new SvcError('usage', `--rejects: ${path} cannot hold them: files that differ in form have rejects as NDJSON`, {
    hint: 'name it with .ndjson at the end',
  });
}
