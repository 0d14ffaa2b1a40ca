import type { Operation } from '../../catalog/define.ts';
import { loadOperation, loadResource } from '../../catalog/index.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import { fetchPages } from '../../client/pages.ts';
import { SvcError } from '../../kernel/errors.ts';
import { withServiceTime } from '../connection/service-time.ts';
import type { Context, GlobalOptions } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { type ListOptions, needsAll } from '../list-flags.ts';
import { selectOptions } from '../options.ts';
import { CALL_FLAGS } from './call-flags.ts';
import { withHint } from './error-hints.ts';
import type { InputData } from './input-data.ts';
import { requireOrganizationsToRead } from './missing-parents.ts';
import { confirmNewParents, type NewParents, printNewParents } from './new-parents.ts';
import { printResults } from './print-results.ts';
import { checkInput, checkUnknownFields, type InputFailure } from './validation.ts';
import { runAndWait } from './wait.ts';

type Data = Readonly<Record<string, unknown>>;

export async function runCall(
  context: Context,
  entry: OperationEntry,
  given: InputData,
  invocation: Invocation,
): Promise<void> {
  const { data, usesDataFlag } = given;
  const operation = await loadOperation(entry.resource, entry.name);
  addGeneratedId(operation, data);
  const typed = inputsByArgument(operation, data, invocation).flatMap((input) =>
    splitByIds(operation, input),
  );
  const inputs = await resolveEndpointUids(context, operation, typed);
  const failure = usesDataFlag ? 'invalid_input' : 'usage';
  const checked = await checkInputs(context, entry, operation, { inputs, failure });
  const { wait, all = false, out, ...flags } = selectOptions(CALL_FLAGS, invocation.options);
  const { list } = context.options;
  if (list) checkListOptions(context.options, list);
  if (operation.eventTypes) {
    const { checkEventTypes } = await import('./event-types.ts');
    await checkEventTypes(context, checked.flatMap(operation.eventTypes), flags, failure);
  }
  if (usesDataFlag) await checkUnknownFields(context, operation, data);
  await requireOrganizationsToRead(context, operation, checked);
  for (const warning of checked.flatMap((input) => operation.warnings?.(input) ?? []))
    await context.warn(warning);
  const questions =
    context.options.dryRun || out !== undefined
      ? []
      : checked.flatMap((input) => operation.confirm?.(input) || []);
  for (const question of questions) await context.confirm(question);
  const { created, replacement } = await confirmNewParents(context, operation, {
    inputs: checked,
    flags: invocation.options,
    replaceable: data,
  });
  if (replacement)
    return runCall(context, entry, { ...given, data: { ...data, ...replacement } }, invocation);
  if (out !== undefined) {
    const { rejectSecrets, saveWrite } = await import('../write-plans/save-write.ts');
    rejectSecrets(entry, inputs);
    return saveWrite(context, { operation: entry.name, inputs }, out);
  }
  if (entry.wait && wait) {
    return runAndWait(
      context,
      { command: entry.command, wait: entry.wait },
      operation,
      inputs[0] ?? {},
    );
  }
  const sent = { inputs, checked, created, all: list ? needsAll(list) : all };
  await sendCalls(context, entry, operation, sent);
}

/**
 * Sends the calls of a saved plan.
 * @throws SvcError `invalid_input` if an input is not valid anymore
 */
export async function runSavedCalls(
  context: Context,
  entry: OperationEntry,
  inputs: readonly Data[],
): Promise<void> {
  const operation = await loadOperation(entry.resource, entry.name);
  const checked = await checkInputs(context, entry, operation, {
    inputs,
    failure: 'invalid_input',
  });
  await sendCalls(context, entry, operation, { inputs, checked, created: [], all: false });
}

interface CheckedCalls {
  readonly inputs: readonly Data[];
  readonly checked: readonly Data[];
  /** Parents that the calls create. */
  readonly created: NewParents['created'];
  readonly all: boolean;
}

/** Sends the calls, prints their results, and then what they created. */
async function sendCalls(
  context: Context,
  entry: OperationEntry,
  operation: Operation,
  { inputs, checked, created, all }: CheckedCalls,
): Promise<void> {
  try {
    await printResults(context, entry, operation, { inputs, all });
  } catch (error) {
    if (!(error instanceof SvcError) || error.hint !== undefined) throw error;
    throw withHint(entry, inputs[0] ?? {}, error);
  }
  if (context.options.dryRun) return;
  await printNewParents(context, created);
  if (!operation.notes) return;
  const { clock } = await withServiceTime(context);
  for (const note of checked.flatMap((input) => operation.notes?.(input, clock.now()) ?? []))
    await context.note(note);
}

function checkListOptions({ envelope }: GlobalOptions, { sort, limit }: ListOptions): void {
  const flag = sort ? '--sort' : '--limit';
  if (envelope && (sort || limit !== undefined))
    throw new SvcError('usage', `${flag} and --envelope cannot be combined`);
}

async function checkInputs(
  context: Context,
  entry: OperationEntry,
  operation: Operation,
  { inputs, failure }: { readonly inputs: readonly Data[]; readonly failure: InputFailure },
): Promise<readonly Data[]> {
  const check = (checking: Context) =>
    inputs.map((input) => checkInput(checking, entry, operation, input, failure));
  try {
    return check(context);
  } catch (error) {
    if (!operation.findPastValue) throw error;
    return check(await withServiceTime(context));
  }
}

export function addGeneratedId({ generatedId }: Operation, data: Record<string, unknown>): void {
  if (generatedId && data[generatedId] === undefined) data[generatedId] = crypto.randomUUID();
}

function inputsByArgument(
  { argument }: Operation,
  data: Data,
  invocation: Invocation,
): readonly Data[] {
  if (!argument || invocation.arguments.length === 0) return [data];
  return [...new Set(invocation.arguments)].map((word) => ({ ...data, [argument.field]: word }));
}

function splitByIds({ splitIds }: Operation, data: Data): readonly Data[] {
  const ids = splitIds && data[splitIds.field];
  if (!splitIds || !Array.isArray(ids) || ids.length <= splitIds.max) return [data];
  const unique = [...new Set(ids)];
  const parts = Math.ceil(unique.length / splitIds.max);
  return Array.from({ length: parts }, (_, part) => ({
    ...data,
    [splitIds.field]: unique.slice(part * splitIds.max, (part + 1) * splitIds.max),
  }));
}

/** Start of the IDs that the service generates. A uid cannot start like this. */
const GENERATED = 'ep_';

/**
 * Replaces uids of endpoints with their IDs, which the service requires. Unknown uids stay, and the
 * service rejects them. A dry run sends no request, so uids stay too.
 */
async function resolveEndpointUids(
  context: Context,
  { argument }: Operation,
  inputs: readonly Data[],
): Promise<readonly Data[]> {
  const isUid = (id: unknown) => typeof id === 'string' && !id.startsWith(GENERATED);
  const needsLookup = inputs.some(({ endpointId }) => isUid(endpointId));
  if (argument?.field !== 'endpointId' || !needsLookup || context.options.dryRun) return inputs;
  const { 'webhooks.endpoints.list': list } = await loadResource('webhook-endpoints');
  const ids = new Map<unknown, string>();
  for await (const { data } of fetchPages(await context.client(), list, {}))
    for (const { id, uid } of data?.endpoints ?? []) if (uid) ids.set(uid, id);
  return inputs.map((input) => {
    const id = ids.get(input['endpointId']);
    return id === undefined ? input : { ...input, endpointId: id };
  });
}
