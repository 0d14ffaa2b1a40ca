const NO_PARENT = new Set<unknown>([undefined, '', 'root']);

/** The parents of the records of an input, if records contain others, as folders do. */
export class RecordTree {
  readonly #parents = new Map<string, string | undefined>();
  /** Parents that no earlier record is. */
  readonly #awaited = new Set<string>();
  readonly #depths = new Map<string, number>();
  /** Whether each parent comes before its children. */
  isOrdered = true;

  /** @param keyOf returns the key of a record with an ID in the same target */
  add(id: string, parent: unknown, keyOf: (id: string) => string): void {
    const key = keyOf(id);
    const parentKey =
      typeof parent === 'string' && !NO_PARENT.has(parent) ? keyOf(parent) : undefined;
    if (this.#awaited.has(key) || key === parentKey) this.isOrdered = false;
    this.#parents.set(key, parentKey);
    if (parentKey !== undefined && !this.#parents.has(parentKey)) this.#awaited.add(parentKey);
  }

  /** Returns the number of records above a record. Call only without cycles. */
  depthOf(key: string): number {
    const path: string[] = [];
    let at: string | undefined = key;
    while (at !== undefined && this.#parents.has(at) && !this.#depths.has(at)) {
      path.push(at);
      at = this.#parents.get(at);
    }
    let depth = at === undefined ? -1 : (this.#depths.get(at) ?? -1);
    for (const below of path.reverse()) {
      depth += 1;
      this.#depths.set(below, depth);
    }
    return this.#depths.get(key) ?? 0;
  }

  /** Finds the records that contain themselves: the keys of each cycle, from a record to its parents. */
  findCycles(): readonly (readonly string[])[] {
    if (this.isOrdered) return [];
    const cycles: string[][] = [];
    const done = new Set<string>();
    for (const start of this.#parents.keys()) {
      const path = new Set<string>();
      let at: string | undefined = start;
      while (at !== undefined && !done.has(at) && !path.has(at)) {
        path.add(at);
        at = this.#parents.get(at);
      }
      if (at !== undefined && path.has(at)) cycles.push([...path].slice([...path].indexOf(at)));
      for (const key of path) done.add(key);
    }
    return cycles;
  }
}
