import { isSuccess } from '../listener.ts';
import type { Receipt } from '../post.ts';

export type Expected = 'taken' | 'let pass' | 'refused' | 'given up' | 'too long' | 'not allowed';

interface Expectation {
  readonly says: string;
  readonly holds: (receipt: Receipt) => boolean;
  /** How often what was sent is to have an effect; left out where either is right. */
  readonly applied?: 0 | 1;
}

const isOneOf = (statuses: readonly number[]) => (receipt: Receipt) =>
  receipt.status !== null && statuses.includes(receipt.status);

const isRefusal = ({ status }: Receipt) => status !== null && status >= 400 && status < 500;
/** The receiver hung up, which says no as well; one that is gone is found out by what comes next. */
const isHungUp = (receipt: Receipt) => receipt.status === null && !receipt.timedOut;

/** What a receiver should do, in words and as a rule. */
export const EXPECTATIONS: Readonly<Record<Expected, Expectation>> = {
  taken: { says: '2xx', holds: isSuccess, applied: 1 },
  'let pass': { says: '2xx', holds: isSuccess },
  refused: { says: '401, 403 or 400', holds: isOneOf([401, 403, 400]), applied: 0 },
  'given up': {
    says: 'no 2xx, or the connection closed',
    holds: (receipt) => (receipt.status === null ? isHungUp(receipt) : !isSuccess(receipt)),
    applied: 0,
  },
  'too long': {
    says: '413, or another 4xx',
    holds: (receipt) => isRefusal(receipt) || isHungUp(receipt),
    applied: 0,
  },
  'not allowed': {
    says: '405 or 404',
    holds: (receipt) => isRefusal(receipt) || isOneOf([501])(receipt),
  },
};
