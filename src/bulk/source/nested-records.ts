import { type Fields, isObject } from '../../kernel/json.ts';
import { PlainScalar } from './plain-scalar.ts';
import { InputError, type RecordChunk, type Source, type SourceRecord } from './source.ts';

/**
 * Wraps a source and turns nested records, such as the subfolders in a folder, into separate
 * records. They follow their parent and have its position.
 * @param field field that contains a list of records
 * @param formatText formats a record in the source's format
 */
export function withNestedRecords(
  source: Source,
  field: string,
  formatText: (value: Fields) => string,
): Source {
  function separate(record: SourceRecord): RecordChunk {
    if (!record.text.includes(field)) return [record];
    const value = readFields(record);
    const values = value ? separateValues(value, field) : [];
    if (values.length < 2) return [record];
    const { line, column } = record;
    return values.map((ownFields) => ({
      line,
      column,
      value: ownFields,
      text: formatText(ownFields),
    }));
  }
  async function* separateChunks(): AsyncGenerator<RecordChunk> {
    for await (const chunk of source.recordChunks) yield chunk.flatMap(separate);
  }
  return { ...source, recordChunks: separateChunks() };
}

function separateValues(value: Fields, field: string): readonly Fields[] {
  const { [field]: nested, ...ownFields } = value;
  if (!Array.isArray(nested) || !nested.every(isRecord)) return [value];
  return [ownFields, ...nested.flatMap((record) => separateValues(record, field))];
}

function readFields(record: SourceRecord): Fields | undefined {
  try {
    return isRecord(record.value) ? record.value : undefined;
  } catch (error) {
    // The check of the record reports the error.
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

function isRecord(value: unknown): value is Fields {
  return isObject(value) && !(value instanceof PlainScalar);
}
