import { type Fields, isObject } from '../kernel/json.ts';

/** Results of items: by the caller's ID, or in the order of the request. */
export type ItemResults = Readonly<Record<string, Fields>> | readonly Fields[];

/** The codes of failed items. */
const ITEM_CODES: ReadonlySet<unknown> = new Set(['already-exists', 'not-found', 'internal']);

/**
 * Returns an error's `details` if they are results of items. Other details say nothing about what
 * was written.
 */
export function findReportedResults(details: unknown): ItemResults | undefined {
  if (!isListOfObjects(details)) return undefined;
  const isResult = ({ success, code }: Fields) =>
    typeof success === 'boolean' || ITEM_CODES.has(code);
  return Object.values(details).some(isResult) ? details : undefined;
}

/** Returns the data of a response if each of its values has a `success` of its own. */
export function findItemResults(data: unknown): ItemResults | undefined {
  if (!isListOfObjects(data)) return undefined;
  return Object.values(data).every(({ success }) => typeof success === 'boolean')
    ? data
    : undefined;
}

function isListOfObjects(value: unknown): value is ItemResults {
  if (!Array.isArray(value) && !isObject(value)) return false;
  const items = Object.values(value);
  return items.length > 0 && items.every(isObject);
}
