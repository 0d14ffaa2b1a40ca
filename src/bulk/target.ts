/** What a record may say of a field of the target that the run does not name. */
type Unnamed = 'refused' | 'as the first record';

/**
 * The organization, document, folder or group that all records of a run go to. A record may repeat it, and must not name
 * another one: it would be sent to the target of the run all the same.
 */
export class Target {
  /** The fields of a record that can contradict the target. */
  readonly fields: readonly string[];
  readonly #values: Map<string, unknown>;
  readonly #unnamed: Unnamed;

  constructor(fields: readonly string[], given: Readonly<Record<string, unknown>>, unnamed: Unnamed) {
    this.fields = fields;
    this.#values = new Map(fields.flatMap((field) => (given[field] === undefined ? [] : [[field, given[field]]])));
    this.#unnamed = unnamed;
  }

  /** What is wrong with what a record says about a field; undefined where it agrees. */
  conflict(field: string, stated: unknown): string | undefined {
    const value = this.#values.get(field);
    if (value === stated) return undefined;
    if (value !== undefined) return `${shown(stated)} differs from ${shown(value)}, where all records go`;
    if (this.#unnamed === 'refused') return `the command names no ${field}, and this record is for ${shown(stated)}`;
    this.#values.set(field, stated);
    return undefined;
  }
}

function shown(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}
