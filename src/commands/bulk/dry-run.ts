import { groupIfMixed } from '../../bulk/grouped-records.ts';
import { startCheck } from '../../bulk/record-check.ts';
import { bulkFieldsOf } from '../../catalog/bulk-fields.ts';
import { loadOperation } from '../../catalog/index.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import { checkUnknownFields } from '../call/unknown-fields.ts';
import { checkInput } from '../call/validation.ts';
import type { Context } from '../context.ts';
import type { BulkRequest } from './bulk-request.ts';
import { reportCheck, type SendingPlan } from './check-report.ts';
import { saveAfterCheck } from './column-map.ts';
import { collectConfirmations } from './confirm-writes.ts';
import { countSending } from './count-sending.ts';
import { checkRecordSource, createRules, valueWarningsOf } from './gather-input.ts';
import { openInputFiles } from './input-files.ts';
import { organizationsOf } from './new-organizations.ts';
import { parseBatchLimits } from './parse-batch-limits.ts';
import { showCheckProgress } from './show-progress.ts';
import { createTemporaryPath } from './temporary-path.ts';

/**
 * Checks every record of the files of a bulk command, and reports all problems and suspicious
 * values, and what the command would send. Needs no credentials and no state folder.
 * @throws SvcError `usage` for an invalid flag, `invalid_input` for an invalid record
 */
export async function runDryRun(
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
  const started = startCheck(input, rules, context.signal, confirmations.visitRecord);

  async function planSending(): Promise<SendingPlan> {
    const { check } = started;
    const { first } = check;
    if (first && fields.field !== undefined) {
      const example = { ...data, ...first.target?.data, [fields.field]: [first.value] };
      checkInput(context, entry, operation, example, usesDataFlag ? 'invalid_input' : 'usage');
    }
    await confirmations.showWarnings(context);
    const ids = organizationsOf(targets, data);
    const grouped = await groupIfMixed(
      input,
      rules,
      check,
      context.signal,
      createTemporaryPath('records'),
    );
    try {
      return await countSending(context, { input, rules, check, data, grouped }, limits, ids);
    } finally {
      grouped?.close();
    }
  }

  try {
    const report = { noun: fields.noun, format: await context.format(), planSending };
    await saveAfterCheck(started, request.saveColumns, () =>
      reportCheck(context, input, started, report).finally(stopProgress),
    );
  } finally {
    await input.discard();
  }
}
