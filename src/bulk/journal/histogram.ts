/** Steps per doubling: values are accurate to about 9%. */
const STEPS_PER_DOUBLING = 8;
const DOUBLINGS = 22;

/**
 * A histogram with exponentially growing steps, like an HDR histogram. Its size does not depend on the number of values.
 * The range is 1 millisecond to an hour. Values outside the range count in the first or last step.
 */
export class Histogram {
  readonly #counts: number[];
  maximum: number;

  constructor(saved?: SavedHistogram) {
    this.#counts = Array.from({ length: STEPS_PER_DOUBLING * DOUBLINGS }, (_, step) => saved?.counts[step] ?? 0);
    this.maximum = saved?.most ?? 0;
  }

  add(value: number): void {
    const step = Math.min(this.#counts.length - 1, Math.floor(Math.log2(Math.max(1, value)) * STEPS_PER_DOUBLING));
    this.#counts[step] = (this.#counts[step] ?? 0) + 1;
    this.maximum = Math.max(this.maximum, value);
  }

  /** Returns the value that a share of all values (0 to 1) does not exceed; null if the histogram is empty. */
  quantile(share: number): number | null {
    const total = this.#counts.reduce((sum, count) => sum + count, 0);
    if (total === 0) return null;
    let seen = 0;
    const step = this.#counts.findIndex((count) => {
      seen += count;
      return seen >= share * total;
    });
    return Math.min(this.maximum, 2 ** ((step + 1) / STEPS_PER_DOUBLING));
  }

  /** Returns the steps between the first and the last non-empty one. `count` is the number of values between `from` and `to`. */
  steps(): readonly { readonly from: number; readonly to: number; readonly count: number }[] {
    const steps = this.#counts.map((count, step) => ({
      from: 2 ** (step / STEPS_PER_DOUBLING),
      to: 2 ** ((step + 1) / STEPS_PER_DOUBLING),
      count,
    }));
    const isUsed = ({ count }: { readonly count: number }) => count > 0;
    return steps.slice(Math.max(0, steps.findIndex(isUsed)), steps.findLastIndex(isUsed) + 1);
  }

  save(): SavedHistogram {
    const used = this.#counts.findLastIndex((count) => count > 0) + 1;
    return { counts: this.#counts.slice(0, used), most: this.maximum };
  }
}

export interface SavedHistogram {
  readonly counts: readonly number[];
  readonly most: number;
}
