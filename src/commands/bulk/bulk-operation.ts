import { splitIntoBatches } from '../../bulk/batches.ts';
import { createJobName, type JobFolder } from '../../bulk/journal/job-folder.ts';
import { type BatchCalls, planRequests } from '../../bulk/request-sender.ts';
import { bulkFieldsOf } from '../../catalog/bulk-fields.ts';
import { loadOperation } from '../../catalog/index.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import { isObject } from '../../kernel/json.ts';
import { pluralize } from '../../kernel/plural.ts';
import { confirmNewParents, type NewParents, printNewParents } from '../call/new-parents.ts';
import { checkUnknownFields } from '../call/unknown-fields.ts';
import { checkInput } from '../call/validation.ts';
import type { Context } from '../context.ts';
import { collectAndSaveIds } from '../ids/collect-ids.ts';
import { optionalProperty } from '../options.ts';
import type { BulkRequest } from './bulk-request.ts';
import { resolveColumnMap } from './column-map.ts';
import { collectConfirmations } from './confirm-writes.ts';
import { gatherInput } from './gather-input.ts';
import {
  countByOrganization,
  findNewOrganizations,
  organizationsOf,
  requireOrganizations,
} from './new-organizations.ts';
import { createLockedFolder, describeJob, discardJob, startJob } from './open-job.ts';
import { parseBatchLimits } from './parse-batch-limits.ts';
import { readRecords, type SendPlan } from './pending-records.ts';
import { runJob } from './run-job.ts';

/**
 * Runs a bulk operation: checks all records, sends them, and prints a summary to stdout. Records
 * from a file become a job that can be resumed.
 * @throws SvcError unless every record succeeded. If any request was sent, the summary is printed
 * first.
 */
export async function runBulkOperation(
  context: Context,
  oldest: OperationEntry,
  given: BulkRequest,
): Promise<void> {
  const request = await mapColumns(context, oldest, given);
  if (context.options.dryRun && request.options.file !== undefined) {
    const { runDryRun } = await import('./dry-run.ts');
    return runDryRun(context, oldest, request);
  }
  const job = createJobName(context.clock.now());
  const lockedFolder =
    request.options.file === undefined ? undefined : await createLockedFolder(context, job);
  let started = false;
  try {
    const { entry, plan, newParents } = await prepare(context, oldest, request, {
      job,
      folder: lockedFolder?.folder,
    });
    const { created, replacement } = newParents;
    if (replacement) {
      plan.input.grouped?.close();
      const data = { ...request.data, ...replacement };
      return await runBulkOperation(context, oldest, { ...request, data });
    }
    if (context.options.dryRun)
      return await planRequests(plan.calls, splitIntoBatches(readRecords(plan.input), plan.limits));
    const description = await describeJob(context, job, entry.name, request, plan);
    const opened = await startJob(description, lockedFolder);
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
  const { map, sheet, save } = await resolveColumnMap(
    context,
    { ...fields, given },
    request.options,
    mapFile,
  );
  const options = {
    ...request.options,
    ...optionalProperty('map', map),
    ...optionalProperty('sheet', sheet),
  };
  return { ...request, options, saveColumns: save };
}

/** Reads and checks the records, and asks for confirmation. Sends no writes. */
async function prepare(
  context: Context,
  oldest: OperationEntry,
  request: BulkRequest,
  job: { readonly job: string; readonly folder: JobFolder | undefined },
): Promise<{
  readonly entry: OperationEntry;
  readonly plan: SendPlan;
  readonly newParents: NewParents;
}> {
  const { options, usesDataFlag, newer = { entry: oldest, data: {} } } = request;
  const newest = await loadOperation(newer.entry.resource, newer.entry.name);
  const allFields = bulkFieldsOf(newest);
  const older = newer.entry === oldest ? newest : await loadOperation(oldest.resource, oldest.name);
  const newFields = allFields.knownFields.filter(
    (name) => !bulkFieldsOf(older).knownFields.includes(name),
  );
  let usesNewFields = false;
  const limits = parseBatchLimits(allFields, options);
  if (usesDataFlag) await checkUnknownFields(context, newest, request.data);
  const confirmations = collectConfirmations(newest, allFields, request.data);
  const input = await gatherInput(context, oldest, allFields, request, job, (value, target) => {
    if (isObject(value)) usesNewFields ||= newFields.some((name) => value[name] !== undefined);
    confirmations.visitRecord?.(value, target);
  });
  const [entry, operation] = usesNewFields ? [newer.entry, newest] : [oldest, older];
  const fields = bulkFieldsOf(operation);
  const data = usesNewFields ? { ...input.data, ...newer.data } : input.data;
  const { first, records } = input.check;
  const { name, files } = input.input;
  if (!first)
    await context.note(
      `${name} ${files.length === 1 ? 'contains' : 'contain'} no ${pluralize(fields.noun)}`,
    );
  else if (fields.field !== undefined) {
    const example = { ...data, ...first.target?.data, [fields.field]: [first.value] };
    checkInput(context, entry, operation, example, usesDataFlag ? 'invalid_input' : 'usage');
  }
  await requireOrganizations(context, operation, data, organizationsOf(input.rules.targets, data));
  const client = await context.client();
  const single = options.file === undefined && records <= limits.records;
  const calls: BatchCalls = { client, operation, fields, data, single, ifExists: options.ifExists };
  const { targets } = input.rules;
  const inputs = first?.target
    ? targets.all.map((target) => ({ ...data, ...target.data }))
    : [data];
  // Stdin cannot be read again.
  const replaceable = options.file?.includes('-') ? undefined : request.data;
  const newParents = first
    ? await confirmNewParents(context, operation, {
        inputs,
        flags: request.flags,
        replaceable,
        isImport: options.file !== undefined,
        ...(first.target && { counts: countByOrganization(targets) }),
      })
    : { created: [] };
  const newOrganizations = targets.isNamed('organizationId')
    ? await findNewOrganizations(context, organizationsOf(targets, data))
    : undefined;
  targets.release();
  if (records > 0 && newParents.replacement === undefined)
    await confirmations.confirm(context, client, records);
  const plan = {
    calls,
    input,
    options,
    limits,
    ...(newOrganizations && { newOrganizations: [...newOrganizations] }),
  };
  return { entry, plan, newParents };
}
