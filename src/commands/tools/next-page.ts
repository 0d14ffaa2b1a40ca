import type { Operation } from '../../catalog/define.ts';
import type { Answer } from '../../client/client.ts';
import { nextPage, noCursor, type PageFields } from '../../client/pages.ts';

/** What asks for the page after an answer; nothing at the end. */
export type NextPage = (answer: Answer<unknown>) => PageFields | undefined;

/** How an operation's pages follow each other; where it is not known, by the names that the interface uses. */
export function nextPageOf(operation: Operation | undefined): NextPage {
  return operation ? (answer) => nextPage(operation, answer) : guessedNextPage;
}

function guessedNextPage({ result, data }: Answer<unknown>): PageFields | undefined {
  const fields: PageFields = { ...result, ...(Array.isArray(data) ? {} : Object(data)) };
  const token = fields['pageToken'] || fields['nextPageToken'];
  if (token) return { pageToken: token };
  const { iterator, done } = fields;
  if (iterator === null && done === false) throw noCursor('the service', 'iterator');
  return iterator && done !== true ? { iterator } : undefined;
}
