import { commandArguments, dataArguments } from '../catalog/command-text.ts';
import type { CreatedRecord, Lookup } from '../catalog/define.ts';
import { flagName, type InputNaming } from '../catalog/flags.ts';
import { loadOperation } from '../catalog/index.ts';
import { getEntry } from '../catalog/manifest.ts';
import { hint, SvcError, step } from '../kernel/errors.ts';
import { valueAt } from '../kernel/field-path.ts';
import { type Fields, isObject } from '../kernel/json.ts';
import { quoteForShell } from '../kernel/quote-for-shell.ts';
import { redactText, redactValue } from '../kernel/redact.ts';
import type { ClientOptions } from './client-options.ts';
import type { CallResult, Client } from './client-types.ts';
import { mayBeFromEarlierAttempt, withFailureAndHint } from './final-error.ts';
import { followPages, nextPageFields } from './pages.ts';
import type { CalledOperation } from './request.ts';

interface LookupDependencies
  extends Pick<ClientOptions, 'clock' | 'observe' | 'signal' | 'inputNaming'> {
  readonly send: Client['send'];
  readonly secrets: readonly string[];
}

/**
 * Milliseconds before each lookup. One miss proves nothing: the write may still be in flight when
 * the attempt times out.
 */
const LOOKUP_PAUSES = [0, 1_000, 3_000];
const MAX_COMMAND_LENGTH = 1_000;

/**
 * Settles a call whose outcome is unknown: looks for the record that the call creates, or adds the
 * command for a manual lookup to the error.
 * @returns the result of the call, if the lookup shows that it was applied
 * @throws the original error, extended with the result of the lookup
 */
export async function settleByLookup(
  thrown: unknown,
  operation: CalledOperation,
  data: unknown,
  dependencies: LookupDependencies,
): Promise<CallResult<unknown>> {
  if (!(thrown instanceof SvcError) || operation.bulk?.field !== undefined) throw thrown;
  const { lookup } = operation;
  const isUnknown = thrown.failure === 'outcome_unknown';
  const maySettle = (isUnknown || mayBeFromEarlierAttempt(thrown)) && !dependencies.signal?.aborted;
  if (lookup?.created && isObject(data) && maySettle) {
    const record = await findCreatedRecord(lookup, lookup.created, data, dependencies).catch(
      () => undefined,
    );
    if (record) return reportApplied(record, lookup.created, thrown, dependencies);
    const { idField, absenceMeansNotApplied } = lookup.created;
    if (record === null && isUnknown && absenceMeansNotApplied) {
      const id = String(data[idField]);
      throw new SvcError(
        'unreachable',
        `${thrown.message}; the write was not applied: ${idField} ${id} does not exist`,
        {
          hint: `try again with ${formatId(dependencies.inputNaming, idField, id)}, so that the write cannot be applied twice`,
          cause: thrown.cause,
        },
      );
    }
  }
  const wasInterrupted =
    dependencies.signal?.aborted && thrown.cause === dependencies.signal.reason;
  if (!isUnknown && !wasInterrupted) throw thrown;
  const lookupHint = await createLookupHint(operation, data, dependencies);
  if (!lookupHint) throw thrown;
  const redacted = lookupHint.reworded((text) => redactText(text, dependencies.secrets));
  throw Object.assign(withFailureAndHint(thrown, thrown.failure, redacted), {
    retries: thrown.retries,
  });
}

async function findCreatedRecord(
  lookup: Lookup,
  created: CreatedRecord,
  data: Fields,
  dependencies: LookupDependencies,
): Promise<Fields | null> {
  for (const pause of LOOKUP_PAUSES) {
    await dependencies.clock.sleep(pause, dependencies.signal);
    const record = await readCreatedRecord(lookup, created, data, dependencies.send);
    if (record) return record;
  }
  return null;
}

export async function readCreatedRecord(
  { operation, inputFields }: Lookup,
  created: CreatedRecord,
  data: Fields,
  send: Client['send'],
): Promise<Fields | undefined> {
  const { resource, name } = getEntry(operation);
  const read = await loadOperation(resource, name);
  const input = lookupInputOf(inputFields, data);
  const pages = followPages({
    path: read.path,
    call: (page) => send(read, { ...input, ...page }),
    nextPage: (result) => nextPageFields(read, result),
  });
  for await (const page of pages) {
    const list = valueAt(page.data, [created.list]);
    const record = Array.isArray(list)
      ? list.find((known) => isCreatedRecord(known, created, data))
      : undefined;
    if (record) return record as Fields;
  }
  return undefined;
}

function isCreatedRecord(
  record: unknown,
  { idField, matchingFields }: CreatedRecord,
  data: Fields,
): boolean {
  if (!isObject(record) || data[idField] === undefined) return false;
  return [idField, ...matchingFields].every((field) => record[field] === data[field]);
}

function reportApplied(
  record: Fields,
  created: CreatedRecord,
  { retries }: SvcError,
  { observe }: LookupDependencies,
) {
  const data = created.data(record);
  const message = `the response was lost, but the write was applied: ${created.idField} ${String(record[created.idField])} exists`;
  observe?.({ kind: 'settled', message });
  const result = { status: 'success', message, data };
  return {
    sent: true as const,
    confirmed: false,
    data,
    result,
    retries,
    waits: 0,
    waited: 0,
    hadUnknownAttempt: true,
  };
}

function formatId(naming: InputNaming | undefined, field: string, id: string): string {
  return naming === 'flags' ? `--${flagName(field)} ${quoteForShell(id)}` : `${field} '${id}'`;
}

async function createLookupHint(
  operation: CalledOperation,
  data: unknown,
  dependencies: LookupDependencies,
) {
  const { lookup, command, effect } = operation;
  if (lookup) {
    const lookupStep = step(
      'show',
      ...commandArguments(getEntry(lookup.operation), lookupInputOf(lookup.inputFields, data)),
    );
    const interpretation = lookup.interpretation === undefined ? '' : ` (${lookup.interpretation})`;
    const { idField = '' } = lookup.created ?? {};
    const id = valueAt(data, [idField]);
    const advice =
      typeof id === 'string'
        ? `; to retry safely, add ${formatId(dependencies.inputNaming, idField, id)}`
        : '';
    return hint`the write may have been applied; check with: ${lookupStep}${interpretation}${advice}`;
  }
  if (!command || effect === 'once') return undefined;
  const words = dataArguments(command, data);
  const hasSecrets =
    JSON.stringify(redactValue(data, dependencies.secrets)) !== JSON.stringify(data);
  const isFit = words.join(' ').length <= MAX_COMMAND_LENGTH && !hasSecrets;
  return isFit
    ? hint`the write may have been applied; repeating it is safe: ${step('retry', ...words)}`
    : undefined;
}

function lookupInputOf(by: Lookup['inputFields'], data: unknown): Fields {
  const fields = Object.entries(by).map(([field, paths]) => {
    const values = [paths].flat().map((path) => valueAt(data, path.split('.')));
    return [field, values.find((value) => value !== undefined)];
  });
  return Object.fromEntries(fields);
}
