import { stat } from 'node:fs/promises';
import { splitIntoBatches } from '../../bulk/batches.ts';
import { formatDiagnostic } from '../../bulk/diagnostic.ts';
import { groupIfMixed } from '../../bulk/grouped-records.ts';
import { createDamagedError } from '../../bulk/journal/database.ts';
import type { JobDescription, JobInput } from '../../bulk/journal/job-description.ts';
import {
  findJob,
  type JobFolder,
  jobFolderOf,
  lockJob,
  openJournal,
} from '../../bulk/journal/job-folder.ts';
import { checkRecords } from '../../bulk/record-check.ts';
import { planRequests } from '../../bulk/request-sender.ts';
import { type BulkFields, bulkFieldsOf } from '../../catalog/bulk-fields.ts';
import { loadOperation } from '../../catalog/index.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { throwFileError } from '../../kernel/files.ts';
import { findNamedFile, resolveOutputPath } from '../../kernel/named-file.ts';
import { formatNounCount, pluralize } from '../../kernel/plural.ts';
import { closeAfter } from '../../kernel/resource.ts';
import {
  parseThroughput,
  type REJECTS_FLAG,
  type ThroughputFlags,
  type ThroughputOptions,
} from '../bulk/bulk-flags.ts';
import { type BulkOptions, parseBatchLimits, parseStoredOptions } from '../bulk/bulk-request.ts';
import { copySignal, createRules } from '../bulk/gather-input.ts';
import { openInputFiles } from '../bulk/input-files.ts';
import { createResumeHint, type LockedJobFolder, type OpenJob } from '../bulk/open-job.ts';
import { pendingRecords, type SendPlan } from '../bulk/pending-records.ts';
import { runJob } from '../bulk/run-job.ts';
import { showCheckProgress } from '../bulk/show-progress.ts';
import { createFindingsError } from '../call/findings-error.ts';
import type { Context } from '../context.ts';
import type { Invocation, OptionsOf } from '../definition.ts';
import { DOSSIER } from '../dossier/dossier-run.ts';
import { checkOutputs, jobFiles } from '../outputs/check-outputs.ts';
import { APPLY, openJobContext } from '../settings/job-context.ts';
import { canAsk, withCiReason } from '../terminal/terminal.ts';
import { findJobOperation, findJobRecords, showEndedJob } from './finished-job.ts';
import { type JobListEntry, readJobEntries } from './status.ts';

/**
 * Resumes the given job, or the only stopped job.
 * @throws SvcError `usage` if the job does not exist or was started against another service;
 * `locked` if another process runs the job; `invalid_input` if the input changed; `local` if the journal
 * is missing or damaged
 */
export async function resumeJob(
  context: Context,
  invocation: Invocation<ResumeFlags>,
): Promise<void> {
  const [id = await findStoppedJob(context)] = invocation.arguments;
  const throughput = parseThroughput(invocation.options);
  const { rejects } = invocation.options;
  const folder = await findJob(context.folders, id);
  const release = await lockJob(folder, context.clock);
  let running = false;
  try {
    const journal = await openJournal(folder);
    journal.verify();
    const stored = journal.getFact('job');
    if (!stored) throw createDamagedError(folder.journal);
    const description = withRejects(stored, rejects, context.cwd);
    if (journal.getFact('done'))
      return await showEndedJob(context, await findJobRecords(description), description, journal);
    await closeAfter(await openJobContext(context, description.target), async (opened) => {
      const [kind, resume] = OTHER_JOBS.get(description.operation) ?? [];
      if (resume) {
        if (context.options.dryRun || Object.keys(invocation.options).length > 0)
          throw new SvcError(
            'usage',
            `a job that ${kind} is resumed without --dry-run, --rejects, and throughput flags`,
          );
        const lockedFolder = { folder, release };
        return await resume(opened.context, { description, journal, lockedFolder });
      }
      const saved = journal.getFact('plan');
      if (saved !== undefined) {
        const { checkSavedJob } = await import('../settings/apply-write.ts');
        await checkSavedJob(opened.context, saved, description, journal);
      }
      await checkJobOutputs(opened.context, folder, description);
      const plan = await createSendPlan(opened.context, description, throughput);
      const job: OpenJob = { description, journal, lockedFolder: { folder, release } };
      if (context.options.dryRun)
        return await planRequests(
          plan.calls,
          splitIntoBatches(pendingRecords(job, plan), plan.limits),
        );
      await plan.calls.client.ensureWritesAllowed();
      if (description !== stored) {
        journal.setFact('job', description);
        journal.setFact('rejects', null);
      }
      running = true;
      await runJob(opened.context, job, plan).finally(() => plan.input.grouped?.close());
    });
  } finally {
    if (!running) release();
  }
}

/** Jobs that send no records: what they do, and how to resume them. */
const OTHER_JOBS: ReadonlyMap<string, readonly [kind: string, resume: ResumeOther]> = new Map<
  string,
  readonly [string, ResumeOther]
>([
  [
    APPLY,
    [
      'applies a plan',
      async (context, job) =>
        (await import('../settings/apply-job.ts')).resumeApplyJob(context, job),
    ],
  ],
  [
    DOSSIER,
    [
      'saves the data of a person',
      async (context, job) => (await import('../dossier/run-dossier.ts')).runDossier(context, job),
    ],
  ],
]);
type ResumeOther = (
  context: Context,
  job: OpenJob & { readonly lockedFolder: LockedJobFolder },
) => Promise<void>;

export type ResumeFlags = ThroughputFlags & OptionsOf<readonly [typeof REJECTS_FLAG]>;

/** Changes the path of the rejects, for this run and later ones. */
function withRejects(
  description: JobDescription,
  rejects: string | undefined,
  cwd: string,
): JobDescription {
  if (rejects === undefined) return description;
  const path = cwd === description.cwd ? rejects : resolveOutputPath(rejects, cwd);
  return { ...description, options: { ...description.options, rejects: path } };
}

/** Checks the outputs of a job again: other files may have taken their places since the last run. */
async function checkJobOutputs(
  context: Context,
  folder: JobFolder,
  description: JobDescription,
): Promise<void> {
  const { inputs, cwd } = description;
  const { rejects, results } = parseStoredOptions(description);
  const at = (file: string) => resolveOutputPath(file, cwd);
  await checkOutputs(context, {
    inputs: [
      ...inputs.map(({ path }) => ({ name: 'the input', file: at(path) })),
      ...jobFiles(folder),
    ],
    outputs: [
      ...(rejects === undefined
        ? []
        : [{ name: '--rejects', file: at(rejects), use: 'rejects' as const }]),
      ...(results === undefined
        ? []
        : [{ name: '--results', file: at(results), use: 'results' as const }]),
    ],
  });
}

/**
 * Recreates the plan of a job with the given throughput.
 * @throws SvcError `invalid_input` if the input changed
 */
async function createSendPlan(
  context: Context,
  description: JobDescription,
  throughput: ThroughputOptions,
): Promise<SendPlan> {
  const entry = findJobOperation(description);
  const operation = await loadOperation(entry.resource, entry.name);
  const fields = bulkFieldsOf(operation);
  const options = { ...parseStoredOptions(description), ...throughput };
  const limits = parseBatchLimits(fields, options);
  const input = await reopenInput(context, fields, description, options);
  const client = await context.client();
  const { data } = description;
  const calls = { client, operation, fields, data, single: false, ifExists: options.ifExists };
  return { calls, input, options, limits };
}

async function reopenInput(
  context: Context,
  fields: BulkFields,
  description: JobDescription,
  options: BulkOptions,
) {
  const { inputs, cwd } = description;
  for (const input of inputs) {
    const path = await findNamedFile(input.path, cwd).catch((error: unknown) => {
      if (!(error instanceof SvcError)) throw error;
      throw error.reworded({ hint: createResumeHint(description.job, input.path) });
    });
    const { size } = await stat(path).catch(throwFileError('read', input.name));
    if (size !== input.bytes) throw createInputChangedError(description, input);
  }
  const reading = copySignal(context.signal);
  try {
    const dependencies = { cwd, io: context.io, signal: reading.signal };
    const files = inputs.map(({ path, name, format }) => ({ file: path, name, format }));
    const input = await openInputFiles(dependencies, fields, options, '', files);
    // The records of a job of separate calls were checked against the flags by the first run.
    const defaults = fields.field === undefined ? Object.keys(description.data) : [];
    const rules = createRules(fields, description.data, options, description.job, defaults);
    const shown = await showCheckProgress(context, input);
    const check = await checkRecords(input, rules, context.signal).finally(shown);
    const other = inputs.find(({ sha256 }, at) => check.files[at]?.identity?.sha256 !== sha256);
    if (other) throw createInputChangedError(description, other);
    if (check.diagnosticCount > 0) {
      // Another version of svc may have accepted these records.
      const hint = 'nothing was sent; fix the file, then run the original command again';
      const found = {
        findings: check.diagnostics.map(formatDiagnostic),
        findingCount: check.diagnosticCount,
      };
      throw await createFindingsError(context, found, {
        failure: 'invalid_input',
        name: input.name,
        part: pluralize(fields.noun),
        hint,
      });
    }
    const { grouped: path } = jobFolderOf(context.folders, description.job);
    const grouped = await groupIfMixed(input, rules, check, context.signal, path);
    rules.targets.release();
    return { input, rules, check, grouped, data: description.data };
  } finally {
    reading.end();
  }
}

function createInputChangedError({ job }: JobDescription, { name }: JobInput): SvcError {
  return new SvcError(
    'invalid_input',
    `${name} changed after job ${job} started; nothing was sent`,
    {
      hint: 'restore the original file, or run the original command again with the changed file',
    },
  );
}

/** @throws SvcError `usage` if no job is stopped, or if several are and prompts are not possible */
async function findStoppedJob(context: Context): Promise<string> {
  const stopped = (await readJobEntries(context)).filter(({ state }) => state === 'stopped');
  const [only, ...others] = stopped;
  if (only && others.length === 0) {
    await context.note(`resuming job ${only.id} (${describeEntry(only)})`);
    return only.id;
  }
  if (only && canAsk(context)) {
    const choices = stopped.map((entry) => ({
      value: entry.id,
      description: `${describeEntry(entry)}, started ${entry.startedAt}`,
    }));
    return (await context.prompter()).pick({ message: 'Job to resume', choices });
  }
  const problem = only
    ? `specify a job: ${formatNounCount(stopped.length, 'job')} are stopped`
    : 'no job is stopped';
  const advice = hint`to list all jobs, run ${step('inspect', 'jobs', 'list')}`;
  throw new SvcError('usage', problem, { hint: only ? withCiReason(context, advice) : advice });
}

function describeEntry({ operation, input }: JobListEntry): string {
  return [operation, input].filter((text) => text !== '').join(', ');
}
