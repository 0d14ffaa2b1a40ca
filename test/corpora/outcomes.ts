/** Counts what svc does with the cases of a suite. */
export class Outcomes {
  readonly #cases = new Map<string, string[]>();

  add(outcome: string, name: string): void {
    this.#cases.set(outcome, [...(this.#cases.get(outcome) ?? []), name]);
  }

  /** Returns the count of each outcome. Names the cases unless svc does what the suite expects. */
  toString(): string {
    return [...this.#cases]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([outcome, names]) => {
        const listed = outcome.startsWith('as expected') ? [] : names.map((name) => `  ${name}\n`);
        return `${outcome}: ${names.length}\n${listed.join('')}`;
      })
      .join('');
  }
}
