import type { Diagnostic } from '../diagnostic.ts';
import { type FieldMap, withRenamedFields } from './field-map.ts';
import { withField } from './memory-source.ts';
import type { InputFormat, Source } from './source.ts';

/** The layout of the records in an input. */
export interface RecordLayout {
  /** The field that contains the list of records. */
  readonly field: string;
  /** The known fields of a record, and its ID field. */
  readonly fields: readonly string[];
  readonly idField: string;
  /** Name of the ID field in the output of a list command. */
  readonly listedId?: string | undefined;
  /** Field of a record in the output of a list command that contains more records. */
  readonly nestedField?: string | undefined;
  /** Whether a record may lack its ID. */
  readonly generatesIds?: boolean;
  /** Maps columns or fields to the service's field names. */
  readonly map?: FieldMap;
}

export interface SourceRequest extends RecordLayout {
  /** The name in messages. */
  readonly name: string;
  readonly format: InputFormat;
  readonly warn: (warning: Diagnostic) => void;
}

/** Reads the records of a text. Loads only the libraries of its format. */
export async function readSource(chunks: AsyncIterable<string>, request: SourceRequest): Promise<Source> {
  const { name, format, fields, idField, listedId, generatesIds = false, map } = request;
  if (format !== 'csv') {
    const source = await readSeparately(chunks, format, request);
    return map ? withRenamedFields(source, map) : source;
  }
  const reader = new (await import('./csv.ts')).CsvReader({
    name,
    fields,
    idField,
    listedId,
    generatesIds,
    ...(map && { map }),
  });
  return {
    ...{ name, format, isVerbatim: false },
    recordChunks: reader.read(chunks),
    preamble: () => reader.header,
    columns: () => reader.columns,
    withField: (record, _, id) => reader.withId(record, id),
  };
}

async function readSeparately(
  chunks: AsyncIterable<string>,
  format: Exclude<InputFormat, 'csv'>,
  request: SourceRequest,
): Promise<Source> {
  const source = await readWithOwnNames(chunks, format, request);
  if (request.nestedField === undefined) return source;
  const { withNestedRecords } = await import('./nested-records.ts');
  const formatText = format === 'yaml' ? (await import('./yaml-text.ts')).formatYamlItem : JSON.stringify;
  return withNestedRecords(source, request.nestedField, formatText);
}

async function readWithOwnNames(
  chunks: AsyncIterable<string>,
  format: Exclude<InputFormat, 'csv'>,
  { name, field, warn }: SourceRequest,
): Promise<Source> {
  const known = { name, format, isVerbatim: format !== 'yaml', preamble: () => '' };
  switch (format) {
    case 'json': {
      const { readJson } = await import('./json.ts');
      return { ...known, recordChunks: readJson(chunks, { name, field, warn }), withField };
    }
    case 'ndjson':
      return { ...known, recordChunks: (await import('./ndjson.ts')).readNdjson(chunks, name), withField };
    case 'yaml': {
      const { readYaml, withYamlField } = await import('./yaml.ts');
      return { ...known, recordChunks: readYaml(chunks, { name, field, warn }), withField: withYamlField };
    }
  }
}
