import type { Operation } from '../../catalog/define.ts';
import { loadOperation } from '../../catalog/index.ts';
import { manifest, type OperationEntry } from '../../catalog/manifest.ts';
import { selectOperation } from '../../catalog/select-operation.ts';
import type { CallResult } from '../../client/client.ts';
import { createMissingCursorError, nextPageFields, type PageFields } from '../../client/pages.ts';

export interface KnownOperation {
  readonly entry: OperationEntry;
  readonly operation: Operation;
}

/** Finds the operation for a path and data. Returns `undefined` if the path is not in the catalog. */
export async function findOperation(path: string, data: unknown): Promise<KnownOperation | undefined> {
  const entry = selectOperation(
    manifest.filter((candidate) => candidate.path === path),
    data,
  );
  return entry && { entry, operation: await loadOperation(entry.resource, entry.name) };
}

/** Returns the fields that request the next page. Returns `undefined` after the last page. */
export type PageFinder = (result: CallResult<unknown>) => PageFields | undefined;

/** Creates a page finder. For an unknown operation, the page finder looks for the cursor fields that the API uses. */
export function createPageFinder(operation: Operation | undefined): PageFinder {
  return operation ? (result) => nextPageFields(operation, result) : guessNextPage;
}

function guessNextPage({ result, data }: CallResult<unknown>): PageFields | undefined {
  const fields: PageFields = { ...result, ...(Array.isArray(data) ? {} : Object(data)) };
  const token = fields['pageToken'] || fields['nextPageToken'];
  if (token) return { pageToken: token };
  const { iterator, done } = fields;
  if (iterator === null && done === false) throw createMissingCursorError('the service', 'iterator');
  return iterator && done !== true ? { iterator } : undefined;
}
