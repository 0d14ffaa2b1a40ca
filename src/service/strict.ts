import type * as z from 'zod/mini';
import type { OperationName, Operations } from '../catalog/index.ts';
import type { HandlerResult } from './calls/envelope.ts';
import type { ItemResult } from './records/item-results.ts';
import { generateId } from './records/secrets.ts';
import { Refusal } from './store/refusal.ts';

type Input<Name extends OperationName> = z.output<Operations[Name]['input']>;
type Output<Name extends OperationName> = z.output<Operations[Name]['output']>;

/**
 * Returns the strict mode's error if a document failed. Its details are the result of each document:
 * by ID for documents to add, in the order of the request for documents to read.
 */
export function strictFailure(
  name: OperationName,
  input: unknown,
  reply: HandlerResult<unknown>,
): Refusal | undefined {
  switch (name) {
    case 'documents.add':
      return additionFailure(reply.data as Output<typeof name>);
    case 'documents.list':
      return readFailure(input as Input<typeof name>, reply as HandlerResult<Output<typeof name>>);
    default:
      return undefined;
  }
}

function additionFailure(results: Output<'documents.add'>): Refusal | undefined {
  const entries = Object.entries(results);
  if (entries.every(([, { success }]) => success)) return undefined;
  const details = Object.fromEntries(
    entries.map(([documentId, result]) => [
      documentId,
      { ...result, id: result.id ?? generateId() },
    ]),
  );
  return new Refusal('INTERNAL', 'Error adding document(s).', details);
}

function readFailure(
  { documentIds = [], pageToken }: Input<'documents.list'>,
  { data: found, siblings }: HandlerResult<Output<'documents.list'>>,
): Refusal | undefined {
  // Another page may contain the missing documents.
  if (pageToken || siblings?.['pageToken']) return undefined;
  const records = new Map(found.map((record) => [record.id, record]));
  if (documentIds.every((id) => records.has(id))) return undefined;
  const details = documentIds.map((id) => records.get(id) ?? { ...MISSING_DOCUMENT, id });
  return new Refusal('INTERNAL', 'Error retrieving document(s).', details);
}

const MISSING_DOCUMENT: ItemResult = {
  success: false,
  message: 'Document does not exist',
  code: 'not-found',
};
