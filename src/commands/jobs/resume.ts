import { stat } from 'node:fs/promises';
import { batches } from '../../bulk/batches.ts';
import { findingText } from '../../bulk/finding.ts';
import { damaged } from '../../bulk/journal/database.ts';
import type { JobDescription, JobInput } from '../../bulk/journal/description.ts';
import { findJob, lockJob, openJournal } from '../../bulk/journal/folder.ts';
import { minter } from '../../bulk/mint.ts';
import { type Survey, survey } from '../../bulk/survey.ts';
import { type BulkFields, bulkFieldsOf } from '../../catalog/bulk-fields.ts';
import { loadOperation } from '../../catalog/index.ts';
import { manifest, type OperationEntry } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { localFileError } from '../../kernel/files.ts';
import { findNamedFile } from '../../kernel/named-file.ts';
import { plural } from '../../kernel/plural.ts';
import { type BulkInput, openFiles, targetOf, untilRead } from '../bulk/gather-input.ts';
import type { OpenJob } from '../bulk/job.ts';
import { batchLimits } from '../bulk/operation.ts';
import { type Pace, paceOf } from '../bulk/pace.ts';
import { showChecking } from '../bulk/progress.ts';
import { remainingRecords } from '../bulk/records.ts';
import type { BulkOptions } from '../bulk/request.ts';
import { runJob } from '../bulk/run.ts';
import { planBatches } from '../bulk/send.ts';
import type { Work } from '../bulk/work.ts';
import { refusal } from '../call/refusal.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { given } from '../option-values.ts';
import { showDone } from './done.ts';
import { contextFor } from './target-context.ts';

/**
 * Goes on with a job where its last run ended, however that was.
 * @throws SvcError `usage` when there is no such job, or it was begun against another service than this run would use;
 * `locked` while another process runs it; `bad_data` when its input changed; `local` when its journal is missing or damaged
 */
export async function resumeJob(context: Context, invocation: Invocation): Promise<void> {
  const [id = ''] = invocation.arguments;
  const pace = paceOf(invocation);
  const folder = await findJob(context.folders, id);
  const release = await lockJob(folder, context.clock);
  let running = false;
  try {
    const journal = await openJournal(folder);
    journal.verify();
    const description = journal.fact('job');
    if (!description) throw damaged(folder.journal);
    const entry = manifest.find(({ name }) => name === description.operation);
    if (!entry) throw new SvcError('local', `this svc has no operation ${description.operation}`);
    if (journal.fact('done')) return await showDone(context, entry, description, journal);
    const opened = await contextFor(context, description.target);
    try {
      const work = await workOf(opened.context, entry, description, pace);
      const job: OpenJob = { description, journal, place: { folder, release } };
      if (context.options.dryRun)
        return await planBatches(work.calls, batches(remainingRecords(job, work), work.limits));
      await work.calls.client.permitWrites();
      running = true;
      await runJob(opened.context, job, work);
    } finally {
      await opened.close();
    }
  } finally {
    if (!running) release();
  }
}

/** What the job was begun with, but for its pace, where that is another; its input read and found to be the same. */
async function workOf(context: Context, entry: OperationEntry, description: JobDescription, pace: Pace): Promise<Work> {
  const operation = await loadOperation(entry.resource, entry.name);
  const fields = bulkFieldsOf(operation);
  const options = { ...(description.options as unknown as BulkOptions), ...pace };
  const limits = batchLimits(fields, options);
  const input = await sameInput(context, fields, description, options);
  const client = await context.client();
  const calls = { client, operation, fields, data: description.data, single: false };
  return { calls, input, options, limits };
}

async function sameInput(
  context: Context,
  fields: BulkFields,
  description: JobDescription,
  options: BulkOptions,
): Promise<BulkInput> {
  const { inputs, cwd } = description;
  for (const input of inputs) if ((await sizeOf(input, cwd)) !== input.bytes) throw changed(description, input);
  const reading = untilRead(context.signal);
  try {
    const dependencies = { cwd, io: context.io, signal: reading.signal };
    const files = inputs.map(({ path, name, format }) => ({ file: path, name, format }));
    const input = await openFiles(dependencies, fields, { files, ...given('map', options.map) }, '');
    const { data, job } = description;
    const rules = {
      ...{ fields, shared: data, duplicates: options.duplicates, mint: minter(job) },
      ...given('target', targetOf(fields, data)),
      ...given('shard', options.shard),
    };
    const shown = await showChecking(context, input);
    const surveyed = await survey(input, rules, context.signal).finally(shown);
    const other = inputs.find(({ sha256 }, at) => surveyed.files[at]?.identity?.sha256 !== sha256);
    if (other) throw changed(description, other);
    if (surveyed.findingCount > 0) throw await refusedRecords(context, fields, input.name, surveyed);
    return { input, rules, survey: surveyed };
  } finally {
    reading.end();
  }
}

async function sizeOf({ path, name }: JobInput, cwd: string): Promise<number> {
  const found = await stat(await findNamedFile(path, cwd)).catch((error: unknown) => {
    throw localFileError('read', name, error);
  });
  return found.size;
}

/** An earlier version may have begun a job that this one refuses. */
function refusedRecords(context: Context, { noun }: BulkFields, name: string, { findings, findingCount }: Survey) {
  const hint = 'this run sent nothing; correct the file, then run the command itself again';
  const found = { findings: findings.map(findingText), findingCount };
  return refusal(context, found, { failure: 'bad_data', name, part: plural(noun), hint });
}

function changed({ job }: JobDescription, { name }: JobInput): SvcError {
  return new SvcError('bad_data', `${name} changed since job ${job} was begun; nothing was sent`, {
    hint: 'put back what it was, or run the command itself again with what it is now',
  });
}
