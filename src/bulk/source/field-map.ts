import { SvcError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { PlainScalar } from './plain-scalar.ts';
import { InputError, type RecordChunk, type Source, type SourceRecord } from './source.ts';

export type FieldNames = ReadonlyMap<string, string>;
const MAX_LISTED_NAMES = 20;

/** Renames fields, and tracks which of the mapped names occurred in the files. */
export class FieldMap {
  readonly names: FieldNames;
  readonly #missing: Set<string>;
  readonly #otherNames = new Set<string>();
  /** Whether several files share the map, so that a table may lack some of the columns. */
  isShared = false;

  constructor(names: FieldNames) {
    this.names = names;
    this.#missing = new Set(names.keys());
  }

  markAllFound(): void {
    this.#missing.clear();
  }

  /** @throws SvcError `invalid_input` if two fields map to the same name */
  rename({ value, line, column }: SourceRecord, file: string): unknown {
    if (!isObject(value) || value instanceof PlainScalar) return value;
    const sourceNames = new Map<string, string>();
    for (const name of Object.keys(value)) {
      const field = this.fieldOf(name);
      const other = sourceNames.get(field);
      if (other !== undefined)
        throw new InputError(
          file,
          { line, column },
          `the fields '${other}' and '${name}' both map to '${field}'`,
        );
      if (field !== '') sourceNames.set(field, name);
    }
    return Object.fromEntries([...sourceNames].map(([field, name]) => [field, value[name]]));
  }

  /** @throws SvcError `usage` for a mapped name that no record has */
  requireFound(files: string): void {
    const [name] = this.#missing;
    if (name === undefined) return;
    const others = [...this.#otherNames];
    throw new SvcError('usage', `--map: no record in ${files} has a field '${name}'`, {
      hint: others.length > 0 ? didYouMean(name, others) : 'use --map <name in file>=<field>',
    });
  }

  /** Returns the field that a name maps to: itself unless it is mapped, or '' if it is dropped. */
  fieldOf(name: string): string {
    const field = this.names.get(name);
    if (field !== undefined) this.#missing.delete(name);
    else if (this.#otherNames.size < MAX_LISTED_NAMES) this.#otherNames.add(name);
    return field ?? name;
  }
}

/** A class, because a getter of a literal would give each record a hidden class of its own. */
class RenamedRecord implements SourceRecord {
  readonly original: SourceRecord;
  readonly line: number;
  readonly column: number;
  readonly #rename: (record: SourceRecord) => unknown;

  constructor(original: SourceRecord, rename: (record: SourceRecord) => unknown) {
    this.original = original;
    this.line = original.line;
    this.column = original.column;
    this.#rename = rename;
  }

  get text(): string {
    return this.original.text;
  }

  get value(): unknown {
    return this.#rename(this.original);
  }
}

/** Wraps a source so that its records have renamed fields. Their texts stay unchanged. */
export function withRenamedFields(source: Source, map: FieldMap): Source {
  const rename = (record: SourceRecord) => map.rename(record, source.name);
  async function* renameChunks(): AsyncGenerator<RecordChunk> {
    for await (const chunk of source.recordChunks)
      yield chunk.map((record) => new RenamedRecord(record, rename));
  }
  return {
    ...source,
    isVerbatim: false,
    recordChunks: renameChunks(),
    withField: (record, idField, id) =>
      source.withField((record as RenamedRecord).original, idField, id),
  };
}
