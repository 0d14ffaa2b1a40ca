/** How to treat a target field in a record if the command does not name the target: reject it, or require that all records agree. */
type UnnamedFieldPolicy = 'reject' | 'match first record';

/**
 * The organization, document, folder, or group that all records of a job go to. A record may repeat the target, but must
 * not name a different one, because it would still be sent to the common target.
 */
export class CommonTarget {
  readonly fields: readonly string[];
  readonly #values: Map<string, unknown>;
  readonly #unnamed: UnnamedFieldPolicy;

  constructor(fields: readonly string[], values: Readonly<Record<string, unknown>>, unnamedFields: UnnamedFieldPolicy) {
    this.fields = fields;
    this.#values = new Map(fields.flatMap((field) => (values[field] === undefined ? [] : [[field, values[field]]])));
    this.#unnamed = unnamedFields;
  }

  findConflict(field: string, stated: unknown): string | undefined {
    const value = this.#values.get(field);
    if (value === stated) return undefined;
    if (value !== undefined) return `${quoted(stated)} differs from ${quoted(value)}, the target of all records`;
    if (this.#unnamed === 'reject') return `the record is for ${quoted(stated)}, but the command does not set ${field}`;
    this.#values.set(field, stated);
    return undefined;
  }
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}
