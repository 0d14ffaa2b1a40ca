import type * as z from 'zod/mini';
import type { OperationName, Operations } from '../catalog/index.ts';
import type { HandlerResult } from './calls/envelope.ts';
import { createItemResults, type ItemResult, notFound } from './records/item-results.ts';
import { Refusal } from './store/refusal.ts';

type Input<Name extends OperationName> = z.output<Operations[Name]['input']>;
type Output<Name extends OperationName> = z.output<Operations[Name]['output']>;

/**
 * Returns the strict mode's error if a document failed. Its details are the results of all
 * documents by ID.
 */
export function strictFailure(
  name: OperationName,
  input: unknown,
  reply: HandlerResult<unknown>,
): Refusal | undefined {
  const results = resultsOf(name, input, reply);
  if (Object.values(results).every(({ success }) => success)) return undefined;
  return new Refusal('INTERNAL', 'Some documents could not be processed.', results);
}

function resultsOf(
  name: OperationName,
  input: unknown,
  { data, siblings }: HandlerResult<unknown>,
): Results {
  if (name === 'documents.add') return data as Output<typeof name>;
  // Another page may contain the missing documents.
  if (name !== 'documents.list' || siblings?.['pageToken']) return {};
  return lookupResults(input as Input<typeof name>, data as Output<typeof name>);
}

type Results = Readonly<Record<string, ItemResult>>;

function lookupResults(
  { documentIds = [], pageToken }: Input<'documents.list'>,
  found: Output<'documents.list'>,
): Results {
  const results = createItemResults();
  if (pageToken) return results;
  const known = new Set(found.map(({ id }) => id));
  for (const id of documentIds)
    results[id] = known.has(id) ? { success: true, id } : notFound('Document');
  return results;
}
