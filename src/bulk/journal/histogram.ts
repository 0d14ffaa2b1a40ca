/** Steps per doubling: values are accurate to about 9%. */
const STEPS_PER_DOUBLING = 8;
const MAX_STEPS = 22 * STEPS_PER_DOUBLING;
/**
 * The serialized form of a histogram: the values per step, up to the last non-empty one, and the
 * maximum.
 */
export type SavedHistogram = Readonly<Pick<Histogram, 'counts' | 'most'>>;

/**
 * A histogram with exponentially growing steps, like an HDR histogram. Its size does not depend on
 * the number of values. The range is 1 millisecond to an hour. Values outside the range count in
 * the first or last step.
 */
export class Histogram {
  readonly counts: number[];
  most: number;

  constructor({ counts, most }: SavedHistogram = { counts: [], most: 0 }) {
    this.counts = counts;
    this.most = most;
  }

  add(value: number): void {
    const step = Math.min(
      MAX_STEPS - 1,
      Math.floor(Math.log2(Math.max(1, value)) * STEPS_PER_DOUBLING),
    );
    while (this.counts.length <= step) this.counts.push(0);
    this.counts[step] = (this.counts[step] ?? 0) + 1;
    this.most = Math.max(this.most, value);
  }

  /**
   * Returns the value that a share of all values (0 to 1) does not exceed; null if the histogram is
   * empty.
   */
  quantile(share: number): number | null {
    const total = this.counts.reduce((sum, count) => sum + count, 0);
    if (total === 0) return null;
    let seen = 0;
    const step = this.counts.findIndex((count) => {
      seen += count;
      return seen >= share * total;
    });
    return Math.min(this.most, 2 ** ((step + 1) / STEPS_PER_DOUBLING));
  }
}
