import { splitIntoBatches } from '../../bulk/batches.ts';
import { groupIfMixed } from '../../bulk/grouped-records.ts';
import { createJobName } from '../../bulk/journal/job-folder.ts';
import type { Journal } from '../../bulk/journal/journal.ts';
import { startCheck } from '../../bulk/record-check.ts';
import { planRequests } from '../../bulk/request-sender.ts';
import { bulkFieldsOf } from '../../catalog/bulk-fields.ts';
import { loadOperation } from '../../catalog/index.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { createTemporaryPath } from '../../kernel/temporary.ts';
import { printNewParents } from '../call/new-parents.ts';
import { checkInput, checkUnknownFields } from '../call/validation.ts';
import type { Context } from '../context.ts';
import { collectAndSaveIds } from '../ids/collect-ids.ts';
import { getFlagValue, optionalProperty } from '../options.ts';
import { type BulkRequest, parseBatchLimits } from './bulk-request.ts';
import { reportCheck, type SendingPlan, showsPlan } from './check-report.ts';
import { canAskAbout, resolveColumnMap, saveAfterCheck } from './column-map.ts';
import { collectConfirmations } from './confirm-writes.ts';
import { printRepeatingCommand } from './follow-up-commands.ts';
import { checkRecordSource, createRules, valueWarningsOf } from './gather-input.ts';
import { openInputFiles } from './input-files.ts';
import { organizationsOf, requireOrganizations } from './new-organizations.ts';
import {
  createLockedFolder,
  describeJob,
  discardJob,
  type LockedJobFolder,
  startJob,
} from './open-job.ts';
import { countSending, readRecords, SendingCounter } from './pending-records.ts';
import { prepareRequest } from './prepare-request.ts';
import { runJob } from './run-job.ts';
import { showCheckProgress } from './show-progress.ts';

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

/**
 * Checks every record of the files of a bulk command, and reports all problems and suspicious
 * values, and what the command would send. Needs no credentials and no state folder.
 * @throws SvcError `usage` for an invalid flag, `invalid_input` for an invalid record
 */
async function runDryRun(
  context: Context,
  oldest: OperationEntry,
  request: BulkRequest,
): Promise<void> {
  const { data, options, usesDataFlag, newer, hasDefaultOrganization } = request;
  const entry = newer?.entry ?? oldest;
  const operation = await loadOperation(entry.resource, entry.name);
  const fields = bulkFieldsOf(operation);
  const limits = parseBatchLimits(fields, options);
  if (usesDataFlag) await checkUnknownFields(context, operation, data);
  checkRecordSource(context, oldest, fields, request);
  const input = await openInputFiles(
    context,
    { ...fields, given: Object.keys(data) },
    options,
    createTemporaryPath('input'),
  );
  const defaults = hasDefaultOrganization ? ['organizationId'] : [];
  const rules = {
    ...createRules(fields, data, options, 'dry-run', defaults),
    valueWarnings: valueWarningsOf(operation.effect),
  };
  const { targets } = rules;
  const confirmations = collectConfirmations(operation, fields, data);
  const stopProgress = await showCheckProgress(context, input);
  const format = await context.format();
  const counter = showsPlan(format) ? new SendingCounter(limits, data) : undefined;
  const started = startCheck(input, rules, context.signal, (value, target, record) => {
    confirmations.visitRecord?.(value, target, record);
    counter?.add(record);
  });

  async function planSending(): Promise<SendingPlan> {
    const { check } = started;
    const { first } = check;
    if (first && fields.field !== undefined) {
      const example = { ...data, ...first.target?.data, [fields.field]: [first.value] };
      checkInput(context, entry, operation, example, usesDataFlag ? 'invalid_input' : 'usage');
    }
    await confirmations.showWarnings(context);
    const ids = organizationsOf(targets, data);
    const isForbidden = getFlagValue(request.flags, 'create-organization') === false;
    await requireOrganizations(context, operation, data, ids, isForbidden);
    const grouped = await groupIfMixed(
      input,
      rules,
      check,
      context.signal,
      createTemporaryPath('records'),
    );
    try {
      const checked = { input, rules, check, data, grouped };
      return await countSending(context, checked, limits, ids, counter);
    } finally {
      grouped?.close();
    }
  }

  try {
    const report = { noun: fields.noun, format, planSending };
    await saveAfterCheck(started, request.saveColumns, () =>
      reportCheck(context, input, started, report).finally(stopProgress),
    );
  } finally {
    await input.discard();
  }
}
