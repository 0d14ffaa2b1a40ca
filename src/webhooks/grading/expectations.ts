import { isSuccessStatus } from '../listener.ts';
import type { PostResult } from '../post.ts';

export type ExpectationName =
  | 'accepted'
  | 'accepted or ignored'
  | 'rejected'
  | 'aborted'
  | 'too large'
  | 'not allowed';

interface Expectation {
  readonly text: string;
  readonly isMet: (result: PostResult) => boolean;
  /** How often the delivery must take effect; undefined if any number is correct. */
  readonly applied?: 0 | 1;
}

const isOneOf = (statuses: readonly number[]) => (result: PostResult) =>
  result.status !== null && statuses.includes(result.status);

const isClientErrorResponse = ({ status }: PostResult) =>
  status !== null && status >= 400 && status < 500;
/**
 * Whether the receiver closed the connection, which counts as a rejection. The next delivery
 * detects a crash.
 */
const isClosedEarly = (result: PostResult) => result.status === null && !result.timedOut;

export const EXPECTATIONS: Readonly<Record<ExpectationName, Expectation>> = {
  accepted: { text: '2xx', isMet: isSuccessStatus, applied: 1 },
  'accepted or ignored': { text: '2xx', isMet: isSuccessStatus },
  rejected: { text: '401, 403 or 400', isMet: isOneOf([401, 403, 400]), applied: 0 },
  aborted: {
    text: 'no 2xx, or the connection closed',
    isMet: (result) => (result.status === null ? isClosedEarly(result) : !isSuccessStatus(result)),
    applied: 0,
  },
  'too large': {
    text: '413, or another 4xx',
    isMet: (result) => isClientErrorResponse(result) || isClosedEarly(result),
    applied: 0,
  },
  'not allowed': {
    text: '405 or 404',
    isMet: (result) => isClientErrorResponse(result) || isOneOf([501])(result),
  },
};
