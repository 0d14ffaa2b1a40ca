import { join } from 'node:path';
import { type BulkJob, runBulk, type Stop } from '../bulk/engine.ts';
import { minter } from '../bulk/mint.ts';
import type { BulkRecord } from '../bulk/record.ts';
import { Recorder } from '../bulk/recorder.ts';
import type { RejectsSource } from '../bulk/source/record.ts';
import { jobName } from '../bulk/summary.ts';
import { readChecked } from '../bulk/survey.ts';
import { type BulkFields, bulkFieldsOf } from '../catalog/bulk-fields.ts';
import { loadOperation } from '../catalog/index.ts';
import type { OperationEntry } from '../catalog/manifest.ts';
import { SvcError } from '../kernel/errors.ts';
import { privateFolder } from '../kernel/files.ts';
import { plural } from '../kernel/plural.ts';
import { createProgress } from '../output/progress.ts';
import { askAndWarn } from './bulk/consent.ts';
import { gatherInput } from './bulk/input.ts';
import type { BulkOptions, BulkRequest } from './bulk/request.ts';
import { type BatchCalls, batchSender, planBatches } from './bulk/send.ts';
import { showSummary } from './bulk/show.ts';
import { failureOf } from './bulk/verdict.ts';
import type { Context } from './context.ts';
import { given } from './option-values.ts';
import { progressStyle } from './terminal.ts';
import { checkInput } from './validation.ts';

/** In flight at once where the user leaves it to svc: enough to hide the way to the service, too few to crowd it. */
const AUTO_CONCURRENCY = 4;

/** Records a request, unless the user says otherwise. */
const BATCH_SIZE = 100;

/**
 * Runs an operation that takes many records: all of them are checked, then sent in batches or each in a call of its own,
 * then summed up on stdout.
 * @throws SvcError when not every record landed: after the summary was printed, or without one when none was sent.
 */
export async function runBulkOperation(context: Context, entry: OperationEntry, request: BulkRequest): Promise<void> {
  const { data, options, fromDocument } = request;
  const operation = await loadOperation(entry.resource, entry.name);
  const fields = bulkFieldsOf(operation);
  const batchSize = batchSizeOf(fields, options);
  const input = await checkedInput(context, entry, fields, request);
  const [first] = input.records;
  if (!first) await context.note(`${input.source.name} holds no ${plural(fields.noun)}`);
  else if (fields.field !== undefined) {
    checkInput(entry, operation, { ...data, [fields.field]: [first.value] }, fromDocument ? 'bad_data' : 'usage');
  }
  const client = await context.client();
  const single = options.file === undefined && input.records.length <= batchSize;
  const calls: BatchCalls = { client, operation, fields, data, single };
  await askAndWarn(context, calls, input.records);
  if (context.options.dryRun) return planBatches(calls, input.records, batchSize);
  await runJob(context, entry.name, input, { calls, options: { ...options, batchSize } });
}

interface BulkInput {
  readonly source: RejectsSource;
  readonly records: readonly BulkRecord[];
  /** Left out because of another record with the same id. */
  readonly duplicates: readonly BulkRecord[];
}

async function checkedInput(
  context: Context,
  entry: OperationEntry,
  fields: BulkFields,
  request: BulkRequest,
): Promise<BulkInput> {
  const { state } = context.folders;
  const job = jobName(context.clock.now());
  if (request.options.file !== undefined) await privateFolder(state);
  const spool = join(state, `${job}.input`);
  const { input, rules, survey } = await gatherInput(context, entry, fields, request, { mint: minter(job), spool });
  const [records, duplicates]: [BulkRecord[], BulkRecord[]] = [[], []];
  for await (const block of readChecked(input, rules, survey)) {
    records.push(...block.records);
    duplicates.push(...block.leftOut);
  }
  await input.discard();
  const source = { name: input.name, format: input.format, preamble: () => survey.preamble };
  return { source, records, duplicates };
}

/** @throws SvcError `usage` for a size that cannot be: of calls that hold one record each. */
function batchSizeOf({ field, noun }: BulkFields, { batchSize }: BulkOptions): number {
  if (field !== undefined) return batchSize ?? BATCH_SIZE;
  if (batchSize === undefined) return 1;
  throw new SvcError('usage', `--batch-size: each ${noun} is a request of its own`);
}

interface Job {
  readonly calls: BatchCalls;
  readonly options: BulkOptions & { readonly batchSize: number };
}

async function runJob(context: Context, operation: string, input: BulkInput, { calls, options }: Job): Promise<void> {
  const { clock, cwd, signal, io } = context;
  const { noun } = calls.fields;
  const started = clock.now();
  const recorder = await Recorder.open({
    cwd,
    source: input.source,
    // One record of the command line is corrected there.
    ...given('rejects', options.rejects ?? (calls.single && input.records.length === 1 ? null : undefined)),
    ...given('results', options.results),
  });
  await recorder.leaveOut(input.duplicates);
  const total = input.records.length + input.duplicates.length;
  const progress = createProgress(io.stderr, clock, progressStyle(context), plural(noun));
  const events = runBulk(engineJob(input, options), {
    send: batchSender(calls),
    signal: AbortSignal.any([signal, recorder.broken]),
  });
  let stop: Stop | undefined;
  for await (const event of events) {
    if (event.kind === 'stopped') stop = event.stop;
    else if (event.kind === 'settled') await recorder.settle(event);
    else await context.warn(`the reply names ids that were not sent: ${event.ids.join(', ')}`);
    const { failed, unknown } = recorder.tally.counts;
    await progress.update({ done: recorder.tally.total, total, failed: failed + unknown });
  }
  await progress.end();
  const rejects = await recorder.close();
  if (stop?.why === 'hopeless' && !recorder.landed) throw stop.error;
  const seconds = Math.round(clock.now() - started) / 1000;
  const summary = recorder.tally.summary({ operation, job: jobName(started), seconds, rejects });
  await showSummary(context, noun, summary);
  const failure = failureOf(summary, { noun, stop, broken: recorder.broken, signal });
  if (failure !== undefined) throw failure;
}

function engineJob({ records }: BulkInput, { batchSize, concurrency, onError, maxErrors }: Job['options']): BulkJob {
  return {
    records: [records],
    batchSize,
    concurrency: concurrency === 'auto' ? AUTO_CONCURRENCY : concurrency,
    ...given('stopAtErrors', onError === 'stop' ? 1 : maxErrors),
  };
}
