import type { ExistingRecords } from '../../bulk/existing-records.ts';
import { type BulkFields, bulkFieldsOf } from '../../catalog/bulk-fields.ts';
import type { Operation } from '../../catalog/define.ts';
import { loadOperation } from '../../catalog/index.ts';
import { getEntry } from '../../catalog/manifest.ts';
import type { Clock } from '../../kernel/clock.ts';
import { isObject } from '../../kernel/is-object.ts';
import { createLookup } from './create-lookup.ts';
import { type BatchCalls, createRequestSender } from './request-sender.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Creates the handling of existing records that the command asks for. Undefined if they fail. */
export async function handleExisting(calls: BatchCalls, clock: Clock): Promise<ExistingRecords | undefined> {
  const { ifExists, fields, data } = calls;
  const update = ifExists === 'update' ? await loadUpdate(fields) : undefined;
  if (!update) return ifExists && { action: 'skip' };
  const { operation, addOnlyFields } = update;
  const shared = pickFields(data, Object.keys(operation.input.shape));
  const toJson = ({ value }: { readonly value: unknown }) =>
    JSON.stringify(isObject(value) ? omitFields(value, addOnlyFields) : value);
  return {
    action: 'update',
    lookUp: createLookup(calls, 'once') ?? (async () => new Map()),
    send: createRequestSender({ ...calls, operation, fields: update.fields, data: shared }, clock, 'all', toJson),
  };
}

/** An operation that updates existing records. */
interface RecordUpdate {
  readonly operation: Operation;
  readonly fields: BulkFields;
  /** Fields that the service accepts for a new record, but not for its update. */
  readonly addOnlyFields: readonly string[];
}

/** Loads the operation that updates existing records, if the service has one. */
export async function loadUpdate({ ifExists, knownFields }: BulkFields): Promise<RecordUpdate | undefined> {
  if (ifExists?.update === undefined) return undefined;
  const { resource, name } = getEntry(ifExists.update);
  const operation = await loadOperation(resource, name);
  const fields = bulkFieldsOf(operation);
  return { operation, fields, addOnlyFields: knownFields.filter((known) => !fields.knownFields.includes(known)) };
}

function pickFields(from: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));
}

function omitFields(from: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)));
}
