import { SvcError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/is-object.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { PlainScalar } from './plain-scalar.ts';
import { type Block, InputError, type Source, type SourceRecord } from './record.ts';

/** Columns or fields of files, and the field that each stands for; an empty one for what to leave out. */
export type FieldNames = ReadonlyMap<string, string>;

/** Names that an error lists: records of foreign make can have any number. */
const MOST_LISTED = 20;

/** Gives fields the names that the service knows them by, and keeps which of its own names were met in a file. */
export class FieldMap {
  readonly names: FieldNames;
  readonly #unmet: Set<string>;
  readonly #others = new Set<string>();

  constructor(names: FieldNames) {
    this.names = names;
    this.#unmet = new Set(names.keys());
  }

  /** All of them stand in a file. */
  meetAll(): void {
    this.#unmet.clear();
  }

  /**
   * A record with its fields renamed. What is no record stays as it is.
   * @throws SvcError `bad_data` for two fields that stand for one
   */
  rename({ value, line, column }: SourceRecord, file: string): unknown {
    if (!isObject(value) || value instanceof PlainScalar) return value;
    const named = new Map<string, string>();
    for (const name of Object.keys(value)) {
      const field = this.#fieldOf(name);
      const other = named.get(field);
      if (other !== undefined) {
        throw new InputError(file, { line, column }, `the fields '${other}' and '${name}' are both '${field}'`);
      }
      if (field !== '') named.set(field, name);
    }
    return Object.fromEntries([...named].map(([field, name]) => [field, value[name]]));
  }

  /** @throws SvcError `usage` for a name that stood in no file */
  check(files: string): void {
    const [name] = this.#unmet;
    if (name === undefined) return;
    const others = [...this.#others];
    throw new SvcError('usage', `--map: no record of ${files} has a field '${name}'`, {
      hint: others.length > 0 ? didYouMean(name, others) : '--map takes the name in the file first, then the field',
    });
  }

  #fieldOf(name: string): string {
    const field = this.names.get(name);
    if (field !== undefined) this.#unmet.delete(name);
    else if (this.#others.size < MOST_LISTED) this.#others.add(name);
    return field ?? name;
  }
}

/** The same records with their fields renamed; their texts stay as they stand in the file. */
export function renaming(source: Source, map: FieldMap): Source {
  async function* blocks(): AsyncGenerator<Block> {
    for await (const block of source.blocks) yield block.map((record) => new RenamedRecord(record, map, source.name));
  }
  return {
    ...source,
    isVerbatim: false,
    blocks: blocks(),
    withField: (record, idField, id) => source.withField(originalOf(record), idField, id),
  };
}

function originalOf(record: SourceRecord): SourceRecord {
  return record instanceof RenamedRecord ? record.original : record;
}

class RenamedRecord implements SourceRecord {
  readonly original: SourceRecord;
  readonly #map: FieldMap;
  readonly #file: string;

  constructor(original: SourceRecord, map: FieldMap, file: string) {
    this.original = original;
    this.#map = map;
    this.#file = file;
  }

  get line(): number {
    return this.original.line;
  }

  get column(): number {
    return this.original.column;
  }

  get text(): string {
    return this.original.text;
  }

  /** @throws SvcError `bad_data` as the record itself does, and for two fields that stand for one */
  get value(): unknown {
    return this.#map.rename(this.original, this.#file);
  }
}
