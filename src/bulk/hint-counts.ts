/** Upper bound on distinct hints. Later ones apply to few problems. */
const MAX_HINTS = 20;

/** Counts the problems that each hint solves, to find a hint for all of them. */
export class HintCounts {
  readonly #counts = new Map<string, number>();

  add(hint: string, count = 1): void {
    const before = this.#counts.get(hint);
    if (before !== undefined || this.#counts.size < MAX_HINTS) this.#counts.set(hint, (before ?? 0) + count);
  }

  /** Returns the hint that solves all of `total` problems. */
  hintForAll(total: number): string | undefined {
    for (const [hint, count] of this.#counts) if (count === total && total > 0) return hint;
    return undefined;
  }
}
