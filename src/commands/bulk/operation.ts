import { type BatchLimits, batches } from '../../bulk/batches.ts';
import { jobName } from '../../bulk/journal/folder.ts';
import { minter } from '../../bulk/mint.ts';
import { type BulkFields, bulkFieldsOf } from '../../catalog/bulk-fields.ts';
import type { Operation } from '../../catalog/define.ts';
import { loadOperation } from '../../catalog/index.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { plural } from '../../kernel/plural.ts';
import { checkInput } from '../call/validation.ts';
import type { Context } from '../context.ts';
import { FoundIds } from '../ids/found-ids.ts';
import { keepIds } from '../ids/remember.ts';
import { given } from '../option-values.ts';
import { askAndWarn, Concerns } from './consent.ts';
import { gatherInput } from './gather-input.ts';
import { beginJob, describeJob, discardPlace, type JobPlace, openPlace } from './job.ts';
import { recordsOf } from './records.ts';
import type { BulkOptions, BulkRequest } from './request.ts';
import { runJob } from './run.ts';
import { type BatchCalls, planBatches } from './send.ts';
import type { Work } from './work.ts';

/** Records a request, unless the user says otherwise. */
const BATCH_SIZE = 100;

/** Characters of JSON text a request; records of usual size come nowhere near. */
const BATCH_CHARACTERS = 4 * 1024 * 1024;

/**
 * Runs an operation that takes many records: all of them are checked, then sent in batches or each in a call of its own,
 * then summed up on stdout. Records of a file are a job, which a later run can take up where this one ends.
 * @throws SvcError when not every record landed: after the summary was printed, or without one where no request was made
 */
export async function runBulkOperation(context: Context, entry: OperationEntry, request: BulkRequest): Promise<void> {
  const operation = await loadOperation(entry.resource, entry.name);
  const fields = bulkFieldsOf(operation);
  const limits = batchLimits(fields, request.options);
  const job = jobName(context.clock.now());
  const place = request.options.file === undefined ? undefined : await openPlace(context, job);
  const prepared = { entry, operation, fields, job, place };
  let begun = false;
  try {
    const work = await prepare(context, prepared, request, limits);
    if (context.options.dryRun) return await planBatches(work.calls, batches(recordsOf(work.input), limits));
    const description = await describeJob(context, { job, operation: entry.name, request, work });
    const opened = await beginJob(description, place);
    begun = true;
    await runJob(context, opened, work);
    if (!place) await keepTyped(context, entry, request);
  } finally {
    if (place && !begun) await discardPlace(place, context.clock);
  }
}

/** For completion: what was typed may be typed again. A file's records are too many. */
async function keepTyped(context: Context, entry: OperationEntry, { data, record }: BulkRequest): Promise<void> {
  const found = new FoundIds(entry.resource);
  found.look([data, record]);
  await keepIds(context, found, entry);
}

interface Prepared {
  readonly entry: OperationEntry;
  readonly operation: Operation;
  readonly fields: BulkFields;
  readonly job: string;
  readonly place: JobPlace | undefined;
}

/** Reads and checks the records, and asks what has to be asked. Nothing is sent yet. */
async function prepare(
  context: Context,
  { entry, operation, fields, job, place }: Prepared,
  request: BulkRequest,
  limits: BatchLimits,
): Promise<Work> {
  const { data, options, fromDocument } = request;
  const concerns = new Concerns(operation, fields, data);
  const input = await gatherInput(context, entry, fields, request, {
    mint: minter(job),
    spool: place?.folder.spool ?? '',
    ...given('shard', options.shard),
    ...given('hear', concerns.hear),
  });
  const { first, records } = input.survey;
  const { name, files } = input.input;
  if (!first) await context.note(`${name} ${files.length === 1 ? 'holds' : 'hold'} no ${plural(fields.noun)}`);
  else if (fields.field !== undefined) {
    const example = { ...data, [fields.field]: [first.value] };
    checkInput(entry, operation, example, fromDocument ? 'bad_data' : 'usage', context.clock.now());
  }
  const client = await context.client();
  const single = options.file === undefined && records <= limits.records;
  const calls: BatchCalls = { client, operation, fields, data, single };
  await askAndWarn(context, calls, concerns, records);
  return { calls, input, options, limits };
}

/** @throws SvcError `usage` for a size that cannot be: of calls that hold one record each. */
export function batchLimits({ field, noun }: BulkFields, { batchSize, rate = BATCH_SIZE }: BulkOptions): BatchLimits {
  if (field === undefined && batchSize !== undefined) {
    throw new SvcError('usage', `--batch-size: each ${noun} is a request of its own`);
  }
  // A second's worth at most, so that a low rate is kept to within the second.
  const usual = Math.min(BATCH_SIZE, Math.ceil(rate));
  return { records: field === undefined ? 1 : (batchSize ?? usual), characters: BATCH_CHARACTERS };
}
