import type { BatchCalls } from '../../bulk/request-sender.ts';
import { bulkFieldsOf } from '../../catalog/bulk-fields.ts';
import { findSharedFlag } from '../../catalog/flags.ts';
import { loadOperation } from '../../catalog/index.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import { isObject } from '../../kernel/json.ts';
import { pluralize } from '../../kernel/plural.ts';
import { confirmNewParents, type NewParents } from '../call/new-parents.ts';
import { checkInput, checkUnknownFields } from '../call/validation.ts';
import type { Context } from '../context.ts';
import { getFlagValue } from '../options.ts';
import { askForOrganizations } from './ask-for-organizations.ts';
import { type BulkRequest, parseBatchLimits } from './bulk-request.ts';
import { collectConfirmations } from './confirm-writes.ts';
import { gatherInput, type InputFolder } from './gather-input.ts';
import { mapFlags } from './input-flags.ts';
import {
  countByOrganization,
  findNewOrganizations,
  organizationsOf,
  requireOrganizations,
} from './new-organizations.ts';
import type { SendPlan } from './pending-records.ts';

interface PreparedRequest {
  readonly entry: OperationEntry;
  readonly plan: SendPlan;
  /** Parents that the write will create. */
  readonly created: NewParents['created'];
  /** Flags that answer the questions that were asked. */
  readonly answers: readonly string[];
  /** The organizations that the records go to. */
  readonly organizations: readonly string[];
}

/** A request with the user's answers, with which the command starts again. */
interface RestartedRequest {
  readonly restart: BulkRequest;
}

/** Reads and checks the records, and asks for confirmation. Sends no writes. */
export async function prepareRequest(
  context: Context,
  oldest: OperationEntry,
  request: BulkRequest,
  job: { readonly job: string; readonly folder: InputFolder | undefined },
): Promise<PreparedRequest | RestartedRequest> {
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
  const before = { ...request.data };
  const input = await gatherInput(
    context,
    oldest,
    allFields,
    request,
    job,
    (value, target, record) => {
      if (isObject(value)) usesNewFields ||= newFields.some((name) => value[name] !== undefined);
      confirmations.visitRecord?.(value, target, record);
    },
  );
  const picked = allFields.targetFields.flatMap(({ name }) => {
    const value = before[name] === undefined ? input.data[name] : undefined;
    return typeof value === 'string' ? answerOf(oldest, name, value) : [];
  });
  const answers = [...(request.answers ?? []), ...picked];
  const [entry, operation] = usesNewFields ? [newer.entry, newest] : [oldest, older];
  const fields = bulkFieldsOf(operation);
  const data = usesNewFields ? { ...input.data, ...newer.data } : input.data;
  const { first, records } = input.check;
  const { name, files } = input.input;
  const { targets } = input.rules;
  const counts = countByOrganization(targets);
  const asked =
    request.asksAboutOrganizations && counts.size > 0
      ? await askForOrganizations(context, {
          file: name,
          operation,
          flags: request.flags,
          counts,
          unclear: targets.unclear,
          hasAnswers: request.isRestarted === true,
        })
      : { createsAll: false };
  if ('replaced' in asked) {
    input.grouped?.close();
    const mapOrg = [...(options.mapOrg ?? []), ...asked.replaced];
    const flags = mapFlags(asked.replaced, '--map-org');
    const changed = { options: { ...options, mapOrg }, answers: [...answers, ...flags] };
    return { restart: { ...request, ...changed, isRestarted: true } };
  }
  if (!first)
    await context.note(
      `${name} ${files.length === 1 ? 'contains' : 'contain'} no ${pluralize(fields.noun)}`,
    );
  else if (fields.field !== undefined) {
    const example = { ...data, ...first.target?.data, [fields.field]: [first.value] };
    checkInput(context, entry, operation, example, usesDataFlag ? 'invalid_input' : 'usage');
  }
  const organizations = organizationsOf(targets, data);
  const isForbidden = getFlagValue(request.flags, 'create-organization') === false;
  await requireOrganizations(context, operation, data, organizations, isForbidden);
  const client = await context.client();
  const single = options.file === undefined && records <= limits.records;
  const calls: BatchCalls = { client, operation, fields, data, single, ifExists: options.ifExists };
  const inputs = first?.target
    ? targets.all.map((target) => ({ ...data, ...target.data }))
    : [data];
  // Stdin cannot be read again.
  const replaceable = options.file?.includes('-') ? undefined : request.data;
  const newParents = first
    ? await confirmNewParents(context, operation, {
        inputs,
        flags: asked.createsAll ? { ...request.flags, createOrganization: true } : request.flags,
        replaceable,
        isImport: options.file !== undefined,
        ...(first.target && { counts }),
      })
    : { created: [] };
  if (newParents.replacement) {
    input.grouped?.close();
    const { replacement } = newParents;
    const flags = Object.entries(replacement).flatMap(([field, id]) => answerOf(oldest, field, id));
    const changed = {
      data: { ...request.data, ...replacement },
      answers: [...answers, ...flags],
    };
    return { restart: { ...request, ...changed, isRestarted: true } };
  }
  const newOrganizations = targets.isNamed('organizationId')
    ? await findNewOrganizations(context, organizations)
    : undefined;
  targets.release();
  // A plan is confirmed when it is applied.
  if (records > 0 && request.out === undefined)
    await confirmations.confirm(context, client, records);
  const plan = {
    calls,
    input,
    options,
    limits,
    ...(newOrganizations && { newOrganizations: [...newOrganizations] }),
  };
  const creation = asked.createsAll ? ['--create-organization'] : [];
  const { created } = newParents;
  return { entry, plan, created, organizations, answers: [...answers, ...creation] };
}

/** Returns the flag that sets a field of all records, and its value. */
function answerOf({ flags }: OperationEntry, field: string, value: string): readonly string[] {
  const flag = findSharedFlag(flags, field);
  return flag ? [`--${flag.name}`, value] : [];
}
