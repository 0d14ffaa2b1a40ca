/** Steps between a number and its double: a value is told to within 1/8. */
const STEPS = 8;
const DOUBLINGS = 22;

/**
 * How often values were seen, in steps that grow with the value, as HDR histograms do: small for any number of values.
 * Made for milliseconds from 1 to an hour; what lies outside counts as the first or the last step.
 */
export class Histogram {
  readonly #counts: number[];
  #most = 0;

  constructor(saved?: SavedHistogram) {
    this.#counts = Array.from({ length: STEPS * DOUBLINGS }, (_, step) => saved?.counts[step] ?? 0);
    this.#most = saved?.most ?? 0;
  }

  add(value: number): void {
    const step = Math.min(this.#counts.length - 1, Math.floor(Math.log2(Math.max(1, value)) * STEPS));
    this.#counts[step] = (this.#counts[step] ?? 0) + 1;
    this.#most = Math.max(this.#most, value);
  }

  get most(): number {
    return this.#most;
  }

  /** The value that a share of all values, from 0 to 1, does not exceed; null while there are none. */
  quantile(share: number): number | null {
    const total = this.#counts.reduce((sum, count) => sum + count, 0);
    if (total === 0) return null;
    let seen = 0;
    const step = this.#counts.findIndex((count) => {
      seen += count;
      return seen >= share * total;
    });
    return Math.min(this.#most, 2 ** ((step + 1) / STEPS));
  }

  /** The steps from the first that was seen to the last. */
  steps(): readonly { readonly from: number; readonly to: number; readonly count: number }[] {
    const steps = this.#counts.map((count, step) => ({
      from: 2 ** (step / STEPS),
      to: 2 ** ((step + 1) / STEPS),
      count,
    }));
    const isSeen = ({ count }: { readonly count: number }) => count > 0;
    return steps.slice(Math.max(0, steps.findIndex(isSeen)), steps.findLastIndex(isSeen) + 1);
  }

  save(): SavedHistogram {
    const used = this.#counts.findLastIndex((count) => count > 0) + 1;
    return { counts: this.#counts.slice(0, used), most: this.#most };
  }
}

export interface SavedHistogram {
  readonly counts: readonly number[];
  readonly most: number;
}
