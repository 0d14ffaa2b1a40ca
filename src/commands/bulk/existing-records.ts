import type { ExistingRecords } from '../../bulk/existing-records.ts';
import { bulkFieldsOf } from '../../catalog/bulk-fields.ts';
import { loadOperation } from '../../catalog/index.ts';
import { getEntry } from '../../catalog/manifest.ts';
import type { Clock } from '../../kernel/clock.ts';
import { isObject } from '../../kernel/is-object.ts';
import { createLookup } from './create-lookup.ts';
import { type BatchCalls, createRequestSender } from './request-sender.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Creates the handler for `--if-exists`. Returns `undefined` if existing records are failures.
 * @param keptFields receives the names of differing fields that an update cannot change
 */
export async function handleExisting(
  calls: BatchCalls,
  clock: Clock,
  keptFields: Set<string>,
): Promise<ExistingRecords | undefined> {
  const { ifExists, fields, data } = calls;
  const update = fields.ifExists?.update;
  if (ifExists !== 'update' || update === undefined) return ifExists && { action: 'skip' };
  const { resource, name } = getEntry(update);
  const operation = await loadOperation(resource, name);
  const updateFields = bulkFieldsOf(operation);
  const addOnlyFields = fields.knownFields.filter((known) => !updateFields.knownFields.includes(known));
  const noteKeptFields = (sent: Fields, existing: Fields) => {
    for (const field of addOnlyFields)
      if (sent[field] !== undefined && sent[field] !== existing[field]) keptFields.add(field);
  };
  const shared = Object.fromEntries(
    Object.entries(data).filter(([name]) => Object.hasOwn(operation.input.shape, name)),
  );
  const toJson = ({ value }: { readonly value: unknown }) =>
    JSON.stringify(isObject(value) ? omitFields(value, addOnlyFields) : value);
  return {
    action: 'update',
    lookUp: createLookup(calls, { listing: 'once', onFound: noteKeptFields }) ?? (async () => new Map()),
    send: createRequestSender({ ...calls, operation, fields: updateFields, data: shared }, clock, 'all', toJson),
  };
}

function omitFields(from: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)));
}
