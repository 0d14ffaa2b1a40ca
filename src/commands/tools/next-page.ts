import type { Operation } from '../../catalog/define.ts';
import type { CallResult } from '../../client/client.ts';
import { createMissingCursorError, nextPageFields, type PageFields } from '../../client/pages.ts';

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
