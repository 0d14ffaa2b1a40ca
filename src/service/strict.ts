import type * as z from 'zod';
import type { OperationName, Operations } from '../catalog/index.ts';
import type { Reply } from './envelope.ts';
import { type ItemResult, itemResults, notFound } from './records/item-results.ts';
import { Refusal } from './refusal.ts';

type Input<Name extends OperationName> = z.output<Operations[Name]['input']>;
type Output<Name extends OperationName> = z.output<Operations[Name]['output']>;

/**
 * The failure that a strict service makes of a call some of whose documents failed: its details are the result of each
 * document, under the id. What they say was written has been written.
 */
export function strictFailure(name: OperationName, input: unknown, reply: Reply<unknown>): Refusal | undefined {
  const results = resultsOf(name, input, reply);
  if (Object.values(results).every(({ success }) => success)) return undefined;
  return new Refusal('INTERNAL', 'Some documents could not be processed.', results);
}

function resultsOf(name: OperationName, input: unknown, { data, siblings }: Reply<unknown>): Results {
  switch (name) {
    case 'documents.add':
      return data as Output<typeof name>;
    case 'documents.list':
      // A document that is missing on one of several pages may be on another.
      return siblings?.['pageToken'] ? {} : lookups(input as Input<typeof name>, data as Output<typeof name>);
    default:
      return {};
  }
}

type Results = Readonly<Record<string, ItemResult>>;

/** A result for each id that was asked for. */
function lookups({ documentIds = [], pageToken }: Input<'documents.list'>, found: Output<'documents.list'>): Results {
  const results = itemResults();
  if (pageToken) return results;
  const known = new Set(found.map(({ id }) => id));
  for (const id of documentIds) results[id] = known.has(id) ? { success: true, id } : notFound('Document');
  return results;
}
