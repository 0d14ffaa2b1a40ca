import type { Failure } from '../kernel/errors.ts';
import type { Failed } from './outcome.ts';

/** What a status word of the service means for the caller. */
export type Meaning = Pick<Failed, 'applied' | 'repeat'> & { readonly failure: Failure };

const refused = (failure: Failure): Meaning => ({ failure, applied: 'no', repeat: 'never' });
const unsettled = (failure: Failure, repeat: Meaning['repeat']): Meaning => ({ failure, applied: 'maybe', repeat });

const MEANINGS = new Map<string, Meaning>([
  ['INVALID_ARGUMENT', refused('invalid_argument')],
  ['OUT_OF_RANGE', refused('invalid_argument')],
  ['FAILED_PRECONDITION', refused('failed_precondition')],
  ['UNAUTHENTICATED', refused('unauthenticated')],
  ['PERMISSION_DENIED', refused('permission_denied')],
  ['NOT_FOUND', refused('not_found')],
  ['ALREADY_EXISTS', refused('already_exists')],
  ['UNIMPLEMENTED', refused('unusable_answer')],
  ['RESOURCE_EXHAUSTED', { failure: 'resource_exhausted', applied: 'no', repeat: 'after_pause' }],
  ['ABORTED', { failure: 'unreachable', applied: 'no', repeat: 'by_effect' }],
  ['UNAVAILABLE', unsettled('unreachable', 'by_effect')],
  ['DEADLINE_EXCEEDED', unsettled('unreachable', 'by_effect')],
  ['INTERNAL', unsettled('unusable_answer', 'by_effect')],
  ['UNKNOWN', unsettled('unusable_answer', 'by_effect')],
  ['CANCELLED', unsettled('unusable_answer', 'never')],
  ['DATA_LOSS', unsettled('unusable_answer', 'never')],
]);

const WORDS = new Map<number, string>([
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [408, 'DEADLINE_EXCEEDED'],
  [409, 'ABORTED'],
  [429, 'RESOURCE_EXHAUSTED'],
  [499, 'CANCELLED'],
  [500, 'INTERNAL'],
  [501, 'UNIMPLEMENTED'],
  [502, 'UNAVAILABLE'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
]);

/** The status word that an HTTP status stands for where an error names none. */
export function wordOfHttp(httpStatus: number): string | undefined {
  return WORDS.get(httpStatus);
}

/** Whether a value is one of the service's status words. */
export function isKnownWord(value: unknown): boolean {
  return typeof value === 'string' && MEANINGS.has(value);
}

/** The meaning of a status word. One that is not known makes no sense, and says nothing of a write unless HTTP does. */
export function meaningOf(word: string | undefined, httpStatus: number): Meaning {
  const known = MEANINGS.get(word ?? '');
  if (known) return known;
  return isClientError(httpStatus) ? refused('unusable_answer') : unsettled('unusable_answer', 'never');
}

/** Client errors that mean the same from a proxy. Its 404 or 400 is not the service's. */
const SAME_FROM_PROXY = new Set([401, 403, 408, 429]);

/** The meaning of a reply that is not in the service's own words, by its HTTP status alone. */
export function meaningOfHttp(httpStatus: number): Meaning {
  if (isClientError(httpStatus) && !SAME_FROM_PROXY.has(httpStatus)) return refused('unusable_answer');
  return meaningOf(wordOfHttp(httpStatus) ?? (httpStatus >= 500 ? 'UNKNOWN' : undefined), httpStatus);
}

function isClientError(httpStatus: number): boolean {
  return httpStatus >= 400 && httpStatus < 500;
}
