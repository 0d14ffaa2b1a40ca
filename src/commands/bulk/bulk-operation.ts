import { splitIntoBatches } from '../../bulk/batches.ts';
import { createJobName } from '../../bulk/journal/job-folder.ts';
import type { Journal } from '../../bulk/journal/journal.ts';
import { planRequests } from '../../bulk/request-sender.ts';
import { bulkFieldsOf } from '../../catalog/bulk-fields.ts';
import { loadOperation } from '../../catalog/index.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { printNewParents } from '../call/new-parents.ts';
import type { Context } from '../context.ts';
import { collectAndSaveIds } from '../ids/collect-ids.ts';
import { optionalProperty } from '../options.ts';
import type { BulkRequest } from './bulk-request.ts';
import { canAskAbout, resolveColumnMap } from './column-map.ts';
import {
  createLockedFolder,
  describeJob,
  discardJob,
  type LockedJobFolder,
  startJob,
} from './open-job.ts';
import { readRecords } from './pending-records.ts';
import { prepareRequest } from './prepare-request.ts';
import { printRepeatingCommand } from './repeat-command.ts';
import { runJob } from './run-job.ts';

/**
 * Runs a bulk operation: checks all records, sends them, and prints a summary to stdout. Records
 * from a file become a job that can be resumed. With `out`, saves a plan instead of sending.
 * @throws SvcError unless every record succeeded. If any request was sent, the summary is printed
 * first.
 */
export async function runBulkOperation(
  context: Context,
  oldest: OperationEntry,
  given: BulkRequest,
): Promise<void> {
  const mapped = await mapColumns(context, oldest, given);
  const asksAboutOrganizations =
    !context.options.dryRun && (await canAskAbout(context, mapped.options));
  const request = { ...mapped, asksAboutOrganizations };
  if (request.out !== undefined) {
    const { saveRecords } = await import('./save-records.ts');
    return saveRecords(context, oldest, request, request.out);
  }
  if (context.options.dryRun && request.options.file !== undefined) {
    const { runDryRun } = await import('./dry-run.ts');
    await printRepeatingCommand(context, request.answers);
    return runDryRun(context, oldest, request);
  }
  return startRequest(context, oldest, request);
}

async function startRequest(
  context: Context,
  oldest: OperationEntry,
  request: BulkRequest,
): Promise<void> {
  const job = createJobName(context.clock.now());
  const lockedFolder =
    request.options.file === undefined ? undefined : await createLockedFolder(context, job);
  await sendRequest(context, oldest, request, { job, lockedFolder });
}

export interface RequestedJob {
  readonly job: string;
  readonly lockedFolder: LockedJobFolder | undefined;
  /** Called with the journal of the job before its first request. */
  readonly onStart?: (journal: Journal) => Promise<void>;
}

/**
 * Checks the records of a request, and sends them as a job. Discards the job's folder if the job
 * does not start. Starts again with the user's answers about the records.
 * @throws SvcError like `runBulkOperation`
 */
export async function sendRequest(
  context: Context,
  oldest: OperationEntry,
  request: BulkRequest,
  { job, lockedFolder, onStart }: RequestedJob,
): Promise<void> {
  let started = false;
  try {
    const prepared = await prepareRequest(context, oldest, request, {
      job,
      folder: lockedFolder?.folder,
    }).catch(async (error: unknown) => {
      // After Ctrl-C, nothing is to be repeated.
      if (error instanceof SvcError && error.failure !== 'interrupted')
        await printRepeatingCommand(context, request.answers);
      throw error;
    });
    if ('restart' in prepared) return await startRequest(context, oldest, prepared.restart);
    const { entry, plan, created, answers } = prepared;
    await printRepeatingCommand(context, answers);
    if (context.options.dryRun)
      return await planRequests(plan.calls, splitIntoBatches(readRecords(plan.input), plan.limits));
    const description = await describeJob(context, job, entry.name, request, plan);
    const opened = await startJob(description, lockedFolder);
    try {
      await onStart?.(opened.journal);
    } catch (error) {
      opened.journal.close();
      throw error;
    }
    started = true;
    await runJob(context, opened, plan).finally(async () => {
      plan.input.grouped?.close();
      if (context.activity.counts?.succeeded) await printNewParents(context, created);
    });
    // A file can contain too many IDs.
    if (!lockedFolder) await collectAndSaveIds(context, entry, [request.data, request.record]);
  } finally {
    if (lockedFolder && !started) await discardJob(lockedFolder, context.clock);
  }
}

/** Completes the column map with a file and prompts. */
async function mapColumns(
  context: Context,
  oldest: OperationEntry,
  { mapFile, ...request }: BulkRequest,
): Promise<BulkRequest> {
  if (!mapFile) return request;
  const { entry } = request.newer ?? { entry: oldest };
  const fields = bulkFieldsOf(await loadOperation(entry.resource, entry.name));
  const given = Object.keys(request.data).filter(
    (name) => !(request.hasDefaultOrganization && name === 'organizationId'),
  );
  const { map, chosen, answers, save } = await resolveColumnMap(
    context,
    { ...fields, given },
    request.options,
    mapFile,
  );
  const options = {
    ...request.options,
    ...chosen,
    ...optionalProperty('map', map),
  };
  return { ...request, options, answers, saveColumns: save };
}
