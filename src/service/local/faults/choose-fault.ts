import { DELIVERY, type FaultFile, type FaultRule } from '../../../catalog/fault-rules.ts';

export interface FaultTarget {
  readonly operation: string;
  readonly org?: string | undefined;
  readonly hasRecords: boolean;
}

export interface ChosenFault {
  readonly rule: FaultRule;
  /**
   * Returns a number in [0, 1) that depends only on the seed, the rule, the number of the request,
   * and `index`.
   */
  readonly draw: (index: number) => number;
}

/**
 * Returns the first rule that applies. Rules don't count requests that an earlier rule applies to.
 * @param count counts a request for a rule, and returns the new count
 */
export function chooseFault(
  { seed, faults }: FaultFile,
  target: FaultTarget,
  count: (rule: number) => number,
): ChosenFault | undefined {
  for (const [at, rule] of faults.entries()) {
    if (!matchesTarget(rule, target)) continue;
    const number = count(at);
    const draw = (index: number) => drawNumber(seed, at, number, index);
    if (isDue(rule, number, draw)) return { rule, draw };
  }
  return undefined;
}

function matchesTarget({ on, org, items }: FaultRule, target: FaultTarget): boolean {
  if (on === '*' ? target.operation === DELIVERY : on !== target.operation) return false;
  return (org === undefined || org === target.org) && (items === undefined || target.hasRecords);
}

const SCHEDULE_DRAW = 0;

function isDue(
  { share, nth, every, times }: FaultRule,
  number: number,
  draw: ChosenFault['draw'],
): boolean {
  if (share !== undefined) return draw(SCHEDULE_DRAW) < share;
  if (nth !== undefined) return number === nth;
  if (every !== undefined) return number % every === 0;
  return times === undefined || number <= times;
}

/** Hashes whole numbers to a number in [0, 1), with the finalizer of MurmurHash3. */
export function drawNumber(...values: readonly number[]): number {
  let hash = 0;
  for (const value of values) {
    hash = (hash + value + 0x9e3779b9) | 0;
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    hash ^= hash >>> 16;
  }
  return (hash >>> 0) / 2 ** 32;
}

/** The 99th percentile of the standard normal distribution. */
const Z99 = 2.3263;

/**
 * Returns a delay in milliseconds from a log-normal distribution with the percentiles of the rule.
 */
export function sampleDelay(
  { p50, p99 }: NonNullable<FaultRule['delay']>,
  draw: ChosenFault['draw'],
): number {
  const normal = Math.sqrt(-2 * Math.log(1 - draw(1))) * Math.cos(2 * Math.PI * draw(2));
  // A median of 0 has no logarithm.
  if (p50 === 0) return normal > Z99 ? p99 : 0;
  return p50 * (p99 / p50) ** (Math.min(normal, 2 * Z99) / Z99);
}

/**
 * Selects the positions of the records that fail. Rounds their number up or down at random to match
 * the share on average.
 */
export function selectFailing(
  share: number,
  records: number,
  draw: ChosenFault['draw'],
): ReadonlySet<number> {
  const exact = share * records;
  const failing = Math.floor(exact) + (draw(1) < exact % 1 ? 1 : 0);
  const positions = Array.from({ length: records }, (_, at) => at);
  return new Set(positions.toSorted((a, b) => draw(a + 2) - draw(b + 2)).slice(0, failing));
}
